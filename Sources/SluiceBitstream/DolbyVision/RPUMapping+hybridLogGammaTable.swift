extension RPUMapping {
    /// From HLG to PQ: the curves that phones write into every RPU of profile 8.4.
    ///
    /// - Note: as read from such a recording; dovi_tool generates the same.
    static let hybridLogGamma = RPUMapping(
        id: 0,
        curves: [
            RPUCurve(
                pivots: [63, 69, 230, 256, 256, 37, 16, 8, 7],
                pieces: [
                    polynomial([(-1, 7_978_928), (1, 8_332_855), (-3, 4_889_184)]),
                    polynomial([(-1, 8_269_552), (1, 5_186_604), (-2, 3_909_327)]),
                    polynomial([(0, 1_317_527), (0, 5_338_528), (-1, 7_440_486)]),
                    polynomial([(0, 2_119_979), (0, 2_065_496), (0, 2_288_524)]),
                    polynomial([(0, 7_982_780), (-2, 5_409_990), (1, 1_585_336)]),
                    polynomial([(6, 3_460_436), (-14, 3_197_328), (8, 615_464)]),
                    polynomial([(13, 3_921_968), (-30, 6_820_672), (16, 5_546_752)]),
                    polynomial([(28, 1_947_392), (-62, 1_244_640), (34, 6_094_272)]),
                ]),
            RPUCurve(
                pivots: [0, 1023],
                pieces: [
                    .regression(
                        RPUCoefficient(whole: 1, fraction: 1_150_183),
                        orders: [
                            factors([
                                (-1, 87_355), (-2, 6_228_986), (-5, 642_500), (2, 1_023_296), (5, 6_569_512),
                                (9, 5_128_216), (-12, 4_317_296),
                            ]),
                            factors([
                                (-1, 8_299_905), (-1, 5_819_931), (3, 2_324_124), (-1, 7_273_546), (-5, 1_562_484),
                                (-12, 3_679_480), (18, 6_357_360),
                            ]),
                            factors([
                                (-1, 8_172_981), (0, 3_261_951), (-2, 5_970_055), (0, 927_142), (2, 3_525_840),
                                (7, 5_110_348), (-19, 6_236_848),
                            ]),
                        ])
                ]),
            RPUCurve(
                pivots: [0, 1023],
                pieces: [
                    .regression(
                        RPUCoefficient(whole: -2, fraction: 6_266_112),
                        orders: [
                            factors([
                                (4, 193_104), (0, 5_369_128), (5, 2_553_116), (-2, 8_009_648), (-8, 2_772_020),
                                (-1, 3_122_453), (1, 2_961_581),
                            ]),
                            factors([
                                (-4, 6_769_788), (-1, 2_565_605), (-6, 7_864_496), (1, 4_777_288), (12, 649_616),
                                (0, 7_036_536), (-4, 1_666_406),
                            ]),
                            factors([
                                (1, 406_265), (0, 2_901_521), (2, 2_680_224), (-1, 146_340), (-8, 1_008_052),
                                (-1, 4_366_810), (4, 5_080_852),
                            ]),
                        ])
                ]),
        ],
        residual: nil, partitions: [0, 0])

    /// Whole parts and fractions of 23 bits.
    private static func factors(_ list: [(Int32, UInt32)]) -> [RPUCoefficient] {
        list.map { RPUCoefficient(whole: $0.0, fraction: $0.1) }
    }

    private static func polynomial(_ list: [(Int32, UInt32)]) -> RPUCurve.Piece { .polynomial(factors(list)) }
}
