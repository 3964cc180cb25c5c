import API
import Accounts
import HTTP

/// Why a file as such cannot be imported.
package struct ImportRefusals: Refusals {
    let notCSV = Refusal(
        .unsupportedMediaType, "not_csv", ko: "파일은 text/csv로 보내 주세요.", en: "Send the file as text/csv.")
    let notUTF8 = Refusal(
        .badRequest, "wrong_encoding", ko: "파일을 읽을 수 없어요. 스프레드시트에서 CSV UTF-8로 다시 저장해 주세요.",
        en: "The file cannot be read. Save it again as CSV UTF-8.")
    /// On the line that the words name.
    let malformed = Refusal(
        .badRequest, "malformed_csv", ko: "{}번째 줄에서 따옴표가 맞지 않아요. 내보낸 파일을 고치지 말고 그대로 올려 주세요.",
        en: "The quotes on line {} do not match. Take the file just as it was exported.")
    /// Neither Toggl's columns nor Clockify's nor ours.
    let unknownColumns = Refusal(
        .unprocessable, "unknown_columns",
        ko: "첫 줄이 Toggl, Clockify, 공부 개미에서 내보낸 파일과 달라요. 상세 보고서(Detailed)를 CSV로 내보내 주세요.",
        en: "The first line is not that of a Toggl, Clockify or Anthill file. Export the detailed report as CSV.")
    let tooManyRows = Refusal(
        .contentTooLarge, "too_many_rows", ko: "한 번에 20,000줄까지 가져올 수 있어요. 기간을 나누어 내보내 주세요.",
        en: "At most 20,000 rows can be imported at once. Export a shorter range.")
    /// 03/04/2026 could be in March or in April, and no other date tells.
    let ambiguousDates = Refusal(
        .unprocessable, "ambiguous_dates", field: "date_format",
        ko: "날짜에서 월과 일 중 무엇이 먼저인지 알 수 없어요. 날짜 형식을 골라 주세요.",
        en: "The dates do not tell whether the month or the day comes first. Choose the date format."
    ).with(["date_formats": [DateFormat.monthFirst.rawValue, DateFormat.dayFirst.rawValue]])
    let severalPeople = Refusal(
        .unprocessable, "several_people", field: "person", ko: "여러 사람의 기록이 들어 있어요. 누구의 기록을 가져올지 골라 주세요.",
        en: "The file holds records of several people. Choose whose you want.")
    /// Whom the request names has no row.
    let unknownPerson = Refusal(
        .unprocessable, "unknown_person", field: "person", ko: "이 사람의 기록은 파일에 없어요. 이름이나 이메일을 확인해 주세요.",
        en: "The file holds no records of this person. Check the name or address.")
    let invalidFormat = Refusal(
        .unprocessable, "invalid_format", field: "format",
        ko: "format은 auto, toggl, clockify, anthill 중 하나예요.", en: "The format is auto, toggl, clockify or anthill.")
    let invalidDateFormat = Refusal(
        .unprocessable, "invalid_date_format", field: "date_format",
        ko: "date_format은 YYYY-MM-DD, MM/DD/YYYY, DD/MM/YYYY 중 하나예요.",
        en: "The date format is YYYY-MM-DD, MM/DD/YYYY or DD/MM/YYYY.")
    let invalidDryRun = Refusal(
        .unprocessable, "invalid_dry_run", field: "dry_run",
        ko: "dry_run은 true나 false예요.", en: "The parameter dry_run is true or false.")
    let unknownTimeZone = Refusal.accounts.unknownTimeZone
    /// Too many files are being read just now.
    let busy = Refusal(
        .unavailable, "busy", ko: "지금은 다른 파일을 읽고 있어요. 잠시 뒤에 다시 해 주세요.",
        en: "Other files are being read. Try again in a moment."
    ).retry(afterSeconds: 5)
}

/// Why a row of a file cannot be read; what is against a rule of study time is among ``StudyRefusals``.
struct RowRefusals: Refusals {
    let missing = Refusal(
        .badRequest, "missing_field", ko: "필요한 칸이 비어 있어요.", en: "A field that is needed is empty.")
    let invalidDate = Refusal(
        .unprocessable, "invalid_date", ko: "날짜를 읽을 수 없어요.", en: "The date cannot be read.")
    let invalidTime = Refusal(
        .unprocessable, "invalid_time", ko: "시각을 읽을 수 없어요.", en: "The time cannot be read.")
    let noSuchLocalTime = Refusal(
        .unprocessable, "no_such_local_time", ko: "서머타임이 시작되며 건너뛴 시각이라 없는 시간이에요.",
        en: "Clocks skipped this time when they were put forward.")
    let tooManyFields = Refusal(
        .unprocessable, "too_many_fields", ko: "첫 줄보다 칸이 많아요.", en: "There are more fields than in the first line.")
    let tooManySubjects = Refusal(
        .unprocessable, "too_many_subjects", on: "too_many_subjects",
        ko: "과목이 너무 많아요. 쓰지 않는 과목을 보관해 주세요.", en: "There are too many subjects. Archive some first.")
    let tooManyStretches = Refusal(
        .unprocessable, "invalid_intervals", ko: "한 공부에 구간은 1000개까지예요.", en: "A session has at most 1000 intervals.")
    /// It still ran, or nobody had said when it ended, when the file was written.
    let notFinished = Refusal(
        .unprocessable, "not_finished", ko: "내보낼 때 아직 끝나지 않은 공부예요.",
        en: "This session had not ended when it was exported.")
    /// Another row of the same session is refused, on the line that the words name.
    let sessionRefused = Refusal(
        .unprocessable, "session_refused", ko: "같은 공부의 다른 구간을 가져올 수 없어요. ({}번째 줄)",
        en: "Another interval of the same session cannot be imported (line {}).")
    /// Shares time with what the words name, such as `2026-03-02 14:00 – 15:20`.
    let overlapping = Refusal(
        .conflict, "overlapping_interval", ko: "{} 공부와 겹쳐요.", en: "This overlaps {}.")
    let notRecordable = Refusal(
        .unprocessable, "not_recordable", ko: "기록할 수 없어요.", en: "This cannot be recorded.")
}

extension Refusal {
    package static let imports = ImportRefusals()
    static let row = RowRefusals()

    /// Of a file, on that line.
    func refusal(line: Int) -> ImportRefusal { ImportRefusal(line: line, code: code, field: field, detail: detail) }
}
