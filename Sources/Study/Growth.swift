/// The picture that grows with a study day.
package enum Growth: String, Sendable, Encodable {
    case seed, sprout, apple, tree

    /// The picture for so much study; whole minutes decide: seed to 200, sprout to 410, apple to 511, a tree from 512.
    package init(seconds: Int) {
        switch seconds / 60 {
        case ...200: self = .seed
        case ...410: self = .sprout
        case ...511: self = .apple
        default: self = .tree
        }
    }
}
