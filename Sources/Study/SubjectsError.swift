import API
import HTTP
import Postgres

/// What subjects, projects and tasks refuse.
package enum SubjectsError: ResponseError, Equatable {
    /// Not there, or another's.
    case notFound
    case invalidName
    case invalidTitle
    case invalidColour
    case invalidEstimate
    case invalidArchived
    case invalidBy
    /// A task is to be in a project that is not there.
    case unknownProject(field: String)
    /// A task in more than 20 projects.
    case tooManyProjectsOfTask
    /// As many that are not archived as one may keep, of each.
    case tooManySubjects
    case tooManyProjects
    case tooManyTasks

    package var status: Status { self == .notFound ? .notFound : .unprocessable }

    package var code: String { facts.code }

    package var field: String? { facts.field }

    private var facts: (code: String, field: String?) {
        switch self {
        case .notFound: ("not_found", nil)
        case .invalidName: ("invalid_name", "name")
        case .invalidTitle: ("invalid_title", "title")
        case .invalidColour: ("invalid_colour", "colour")
        case .invalidEstimate: ("invalid_estimate", "estimate_seconds")
        case .invalidArchived: ("invalid_archived", "archived")
        case .invalidBy: ("invalid_by", "by")
        case .unknownProject(let field): ("unknown_project", field)
        case .tooManyProjectsOfTask: ("too_many_projects", "project_ids")
        case .tooManySubjects: ("too_many_subjects", nil)
        case .tooManyProjects: ("too_many_projects", nil)
        case .tooManyTasks: ("too_many_tasks", nil)
        }
    }

    /// In words for the person.
    package var detail: Localized {
        switch self {
        case .notFound:
            Localized(ko: "여기에는 아무것도 없어요.", en: "There is nothing here.")
        case .invalidName:
            Localized(ko: "이름은 1~60자로 적어 주세요.", en: "A name has 1 to 60 characters.")
        case .invalidTitle:
            Localized(ko: "할 일은 1~200자로 적어 주세요.", en: "A task has 1 to 200 characters.")
        case .invalidColour:
            Localized(
                ko: "색은 \(Colour.names) 가운데 하나예요.", en: "The colour is one of \(Colour.names).")
        case .invalidEstimate:
            Localized(ko: "예상 시간은 1분에서 1000시간 사이여야 해요.", en: "An estimate is between 1 minute and 1000 hours.")
        case .invalidArchived:
            Localized(ko: "archived는 false, true, all 가운데 하나예요.", en: "Archived is false, true or all.")
        case .invalidBy:
            Localized(ko: "by는 subject, project, task 가운데 하나예요.", en: "By is subject, project or task.")
        case .unknownProject:
            Localized(ko: "그런 프로젝트가 없어요.", en: "There is no such project.")
        case .tooManyProjectsOfTask:
            Localized(ko: "할 일 하나는 프로젝트 20개까지 넣을 수 있어요.", en: "A task is in at most 20 projects.")
        case .tooManySubjects:
            Localized(
                ko: "과목은 \(RuleNumber.mostLabels)개까지예요. 쓰지 않는 과목을 보관해 주세요.",
                en: "There can be \(RuleNumber.mostLabels) subjects. Archive some that you no longer use.")
        case .tooManyProjects:
            Localized(
                ko: "프로젝트는 \(RuleNumber.mostLabels)개까지예요. 끝난 프로젝트를 보관해 주세요.",
                en: "There can be \(RuleNumber.mostLabels) projects. Archive some that are over.")
        case .tooManyTasks:
            Localized(
                ko: "할 일은 \(RuleNumber.mostLabels)개까지예요. 끝낸 일을 보관해 주세요.",
                en: "There can be \(RuleNumber.mostLabels) tasks. Archive some that are done.")
        }
    }

    /// What a refusal of the schema means here, by the name of its constraint; nil for anything else.
    init?(_ error: PostgresError) {
        guard let constraint = error.constraint else { return nil }
        let meanings: [(prefix: String, SubjectsError)] = [
            ("subject_not_found", .notFound), ("project_not_found", .notFound), ("task_not_found", .notFound),
            ("subjects_name", .invalidName), ("projects_name", .invalidName), ("tasks_title", .invalidTitle),
            ("subjects_colour", .invalidColour), ("projects_colour", .invalidColour),
            ("tasks_estimate_seconds", .invalidEstimate),
            ("task_projects_project", .unknownProject(field: "project_ids")),
            ("too_many_subjects", .tooManySubjects), ("too_many_projects", .tooManyProjects),
            ("too_many_tasks", .tooManyTasks),
        ]
        guard let meaning = meanings.first(where: { constraint.hasPrefix($0.prefix) }) else { return nil }
        self = meaning.1
    }

    /// Runs `body` and gives what the schema refuses its name.
    static func naming<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as PostgresError {
            guard let named = SubjectsError(error) else { throw error }
            throw named
        }
    }
}
