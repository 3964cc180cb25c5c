import HTTP
import Time

extension Puzzle {
    /// A clock face to be read; how many minutes are left until a time is asked for.
    package struct ClockFace: Sendable, Hashable, Codable {
        /// A time as a face of twelve hours shows it.
        package struct Time: Sendable, Hashable, Codable {
            package let hour: Int
            package let minute: Int

            /// `minutes` past twelve.
            init(minutes: Int) {
                let minutes = ((minutes % 720) + 720) % 720
                hour = minutes < 60 ? 12 : minutes / 60
                minute = minutes % 60
            }

            /// Past twelve.
            var minutes: Int { hour % 12 * 60 + minute }
        }

        /// What the hands show, never a full hour.
        package let shown: Time
        /// How many minutes the clock is ahead of the time, or behind when negative.
        package let fast: Int
        package let until: Time

        init(_ difficulty: Difficulty, using chance: inout some RandomNumberGenerator) {
            func any(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &chance) }
            let hour = any(0...11)
            let minutes = hour * 60 + any(1...59)
            shown = Time(minutes: minutes)
            switch difficulty {
            case .easy:
                fast = 0
                until = Time(minutes: (hour + 1) * 60)
            case .medium:
                fast = 0
                until = Time(minutes: minutes + any(61...299))
            case .hard:
                let off = any(3...29)
                fast = Bool.random(using: &chance) ? off : -off
                until = Time(minutes: minutes - fast + any(61...599))
            }
        }

        var answer: Int { (until.minutes - (shown.minutes - fast) + 2 * 720) % 720 }

        var question: Localized {
            let next = shown.hour % 12 + 1
            let offKo = fast == 0 ? "" : " 이 시계는 \(abs(fast))분 \(fast > 0 ? "빨라요" : "느려요")."
            let offEn = fast == 0 ? "" : " The clock is \(abs(fast)) minutes \(fast > 0 ? "fast" : "slow")."
            let hourEn = until.minute == 0 ? "\(until.hour) o’clock" : "\(until.hour):\(until.minute.twoDigits)"
            let hourKo = until.minute == 0 ? "\(until.hour)시" : "\(until.hour)시 \(until.minute)분"
            return Localized(
                ko: "짧은바늘은 \(shown.hour)시와 \(next)시 사이, 긴바늘은 \(shown.minute)분을 가리켜요.\(offKo) "
                    + "\(hourKo)까지 몇 분 남았나요?",
                en: "The short hand stands between \(shown.hour) and \(next), the long hand at \(shown.minute) minutes."
                    + "\(offEn) How many minutes are left until \(hourEn)?")
        }
    }
}
