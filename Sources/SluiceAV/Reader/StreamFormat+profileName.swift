internal import CFFmpeg
public import SluiceCore

extension StreamFormat {
    /// FFmpeg's name of the profile (`High`, `Main 10`, `LC`); nil where the codec has none by this number.
    public var profileName: String? {
        guard let profile, let number = Int32(exactly: profile),
            let descriptor = avcodec_descriptor_get_by_name(codec.rawValue),
            let name = avcodec_profile_name(descriptor.pointee.id, number)
        else { return nil }
        return String(cString: name)
    }
}
