import API
import Testing

@testable import Accounts

@Suite struct PasswordPolicyTests {
    private func weakness(_ password: String, nickname: String = "여왕개미") throws -> Refusal? {
        let email = try #require(EmailAddress("queen.of.hill@burrow.example"))
        return try PasswordPolicy.standard().weakness(of: Password(password), email: email, nickname: nickname)
    }

    @Test func `ten code points are enough and nine are not`() throws {
        #expect(try weakness("gratnubel9") == nil)
        #expect(try weakness("gratnube9") == Refusal.accounts.passwordTooShort)
        #expect(try weakness("공부는밤에하는게좋다") == nil)
        #expect(try weakness("공부는밤에하는게좋") == Refusal.accounts.passwordTooShort)
    }

    @Test func `128 code points are allowed and 129 are not`() throws {
        let long = String(repeating: "gratnube", count: 16)
        #expect(try weakness(long) == nil)
        #expect(try weakness(long + "x") == Refusal.accounts.passwordTooLong)
    }

    @Test(arguments: ["password123", "PASSWORD123", "1q2w3e4r5t", "qwertyuiop", "ｐａｓｓｗｏｒｄ１２３"])
    func `the most common passwords are refused in any case and width`(password: String) throws {
        #expect(try weakness(password) == Refusal.accounts.passwordCommon)
    }

    @Test func `a few characters over and over are refused`() throws {
        #expect(try weakness("ababababababab") == Refusal.accounts.passwordMonotonous)
        #expect(try weakness("zzzzzzzzzzzz") == Refusal.accounts.passwordMonotonous)
    }

    @Test(arguments: [
        "anthill2026", "4nth1ll!!2026", "Ant-Hill-99", "llihtna2026", "queen.of.hill@burrow.example", "QueenOfHill1",
        "burrow12345", "여왕개미여왕개미2026", "개미개미개미12345",
    ])
    func `address, nickname and the service's name in disguise are refused`(password: String) throws {
        #expect(try weakness(password) == Refusal.accounts.passwordPredictable)
    }

    @Test(arguments: [
        "anthill but also a long tail", "correct horse battery", "burrows are warm in winter", "Tr0ub4dor&3x",
    ])
    func `a word inside something longer does no harm`(password: String) throws {
        #expect(try weakness(password) == nil)
    }

    @Test func `a nickname of one letter forbids nothing`() throws {
        #expect(try weakness("gratnubel9", nickname: "g") == nil)
    }

    @Test func `a common password is refused as common, and a shorter one as too short`() throws {
        #expect(try weakness("1234567890") == Refusal.accounts.passwordCommon)
        #expect(try weakness("123456789") == Refusal.accounts.passwordTooShort)
    }

    @Test func `a password does not print itself`() {
        #expect("\(Password("gratnubel9"))" == "•••")
    }
}
