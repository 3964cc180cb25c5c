/// RFC 3492: how a label of a domain name that is not ASCII is written in ASCII.
enum Punycode {
    private static let base = 36
    private static let minimumThreshold = 1
    private static let maximumThreshold = 26

    /// `label` as `xn--…`, or as it is when it is ASCII already. The caller has normalised it and put it in lower case.
    static func ascii(_ label: String) -> String {
        let points = label.unicodeScalars.map { Int($0.value) }
        let basic = points.filter { $0 < 128 }
        if basic.count == points.count { return label }

        var output = basic.map { UInt8($0) }
        if !basic.isEmpty { output.append(UInt8(ascii: "-")) }
        var handled = basic.count
        var next = 128
        var delta = 0
        var bias = 72
        while handled < points.count {
            let smallest = points.filter { $0 >= next }.min()!
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for point in points {
                if point < next { delta += 1 }
                guard point == next else { continue }
                appendInteger(delta, bias, to: &output)
                bias = adapted(delta, handled + 1, isFirst: handled == basic.count)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return "xn--" + String(decoding: output, as: UTF8.self)
    }

    private static func appendInteger(_ delta: Int, _ bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var position = base
        while true {
            let threshold = min(max(position - bias, minimumThreshold), maximumThreshold)
            if rest < threshold { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
    }

    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (base - minimumThreshold) * maximumThreshold / 2 {
            delta /= base - minimumThreshold
            steps += base
        }
        return steps + (base - minimumThreshold + 1) * delta / (delta + 38)
    }
}
