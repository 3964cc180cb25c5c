/// First in, first out, without moving the rest at each removal.
struct Queue<Element> {
    private var elements: [Element] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    /// The element that is next.
    var first: Element {
        get { elements[head] }
        set { elements[head] = newValue }
    }

    mutating func removeFirst() -> Element {
        let element = elements[head]
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 256 {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    func forEach(_ body: (Element) -> Void) { elements[head...].forEach(body) }

    /// Takes out, in order, the elements that satisfy `isWanted`.
    mutating func removeAll(where isWanted: (Element) -> Bool) -> [Element] {
        let taken = elements[head...].filter(isWanted)
        if !taken.isEmpty {
            elements = elements[head...].filter { !isWanted($0) }
            head = 0
        }
        return taken
    }

    mutating func removeAll() -> [Element] {
        defer { self = Queue() }
        return Array(elements[head...])
    }
}
