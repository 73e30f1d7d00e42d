/// Values of the CODECS attribute.
///
/// - Note: RFC 6381, ISO/IEC 14496-15 Annex E.
public enum CodecString {}
