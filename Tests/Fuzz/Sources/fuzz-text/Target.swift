import FuzzDriver
import FuzzProperties

/// Called by libFuzzer for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzProperty.text.check(start, count)
    return 0
}

/// The package manager links a program's entry under this name, so libFuzzer's own is out of reach.
@_cdecl("fuzz_text_main")
public func entry(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    fuzz_driver_run(count, arguments)
}
