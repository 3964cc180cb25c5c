import HTTP

extension ImportError {
    /// In words for the person.
    package var detail: Localized {
        switch self {
        case .notCSV:
            Localized(ko: "파일은 text/csv로 보내 주세요.", en: "Send the file as text/csv.")
        case .notUTF8:
            Localized(
                ko: "파일을 읽을 수 없어요. 스프레드시트에서 CSV UTF-8로 다시 저장해 주세요.",
                en: "The file cannot be read. Save it again as CSV UTF-8.")
        case .malformed(let line):
            Localized(
                ko: "\(line)번째 줄에서 따옴표가 맞지 않아요. 내보낸 파일을 고치지 말고 그대로 올려 주세요.",
                en: "The quotes on line \(line) do not match. Take the file just as it was exported.")
        case .unknownColumns:
            Localized(
                ko: "첫 줄이 Toggl, Clockify, Anthill에서 내보낸 파일과 달라요. 상세 보고서(Detailed)를 CSV로 내보내 주세요.",
                en:
                    "The first line is not that of a Toggl, Clockify or Anthill file. Export the detailed report as CSV."
            )
        case .tooManyRows:
            Localized(
                ko: "한 번에 20,000줄까지 가져올 수 있어요. 기간을 나누어 내보내 주세요.",
                en: "At most 20,000 rows can be imported at once. Export a shorter range.")
        case .ambiguousDates:
            Localized(
                ko: "날짜에서 월과 일 중 무엇이 먼저인지 알 수 없어요. 날짜 형식을 골라 주세요.",
                en: "The dates do not tell whether the month or the day comes first. Choose the date format.")
        case .severalPeople:
            Localized(
                ko: "여러 사람의 기록이 들어 있어요. 누구의 기록을 가져올지 골라 주세요.",
                en: "The file holds records of several people. Choose whose you want.")
        case .invalidFormat:
            Localized(
                ko: "format은 auto, toggl, clockify, anthill 중 하나예요.",
                en: "The format is auto, toggl, clockify or anthill.")
        case .invalidDateFormat:
            Localized(
                ko: "date_format은 YYYY-MM-DD, MM/DD/YYYY, DD/MM/YYYY 중 하나예요.",
                en: "The date format is YYYY-MM-DD, MM/DD/YYYY or DD/MM/YYYY.")
        case .invalidDryRun:
            Localized(ko: "dry_run은 true나 false예요.", en: "A dry run is true or false.")
        case .unknownTimeZone:
            Localized(ko: "모르는 시간대예요.", en: "This time zone is not known.")
        case .busy:
            Localized(
                ko: "지금은 다른 파일을 읽고 있어요. 잠시 뒤에 다시 해 주세요.", en: "Other files are being read. Try again in a moment.")
        }
    }
}

extension RowError {
    /// In words for the person.
    var detail: Localized {
        switch self {
        case .missing:
            Localized(ko: "필요한 칸이 비어 있어요.", en: "A field that is needed is empty.")
        case .invalidDate:
            Localized(ko: "날짜를 읽을 수 없어요.", en: "The date cannot be read.")
        case .invalidTime:
            Localized(ko: "시각을 읽을 수 없어요.", en: "The time cannot be read.")
        case .noSuchLocalTime:
            Localized(
                ko: "서머타임이 시작되며 건너뛴 시각이라 없는 시간이에요.",
                en: "Clocks skipped this time when they were put forward.")
        case .unknownTimeZone:
            Localized(ko: "모르는 시간대예요.", en: "This time zone is not known.")
        case .tooManyFields:
            Localized(ko: "첫 줄보다 칸이 많아요.", en: "There are more fields than in the first line.")
        case .tooManySubjects:
            Localized(ko: "과목이 너무 많아요. 쓰지 않는 과목을 보관해 주세요.", en: "There are too many subjects. Archive some first.")
        case .tooManyStretches:
            Localized(ko: "한 공부에 구간은 1000개까지예요.", en: "A session has at most 1000 intervals.")
        case .notFinished:
            Localized(
                ko: "내보낼 때 아직 끝나지 않은 공부예요.", en: "This session had not ended when it was exported.")
        case .sessionRefused(let line):
            Localized(
                ko: "같은 공부의 다른 구간을 가져올 수 없어요. (\(line)번째 줄)",
                en: "Another interval of the same session cannot be imported (line \(line)).")
        case .overlapping(let other, _):
            Localized(ko: "\(other) 공부와 겹쳐요.", en: "This overlaps \(other).")
        }
    }
}
