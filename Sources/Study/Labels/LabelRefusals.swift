import API
import HTTP

/// What subjects, projects and tasks refuse.
package struct LabelRefusals: Refusals {
    /// Not there, or another's.
    let notFound = Refusal(
        .notFound, "not_found", on: "subject_not_found", "project_not_found", "task_not_found",
        ko: "여기에는 아무것도 없어요.", en: "There is nothing here.")
    let invalidName = Refusal(
        .unprocessable, "invalid_name", on: "subjects_name", "projects_name", field: "name",
        ko: "이름은 1~60자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A name has 1 to 60 characters, none of them invisible.")
    let invalidTitle = Refusal(
        .unprocessable, "invalid_title", on: "tasks_title", field: "title",
        ko: "할 일은 1~200자여야 하고, 보이지 않는 글자는 쓸 수 없어요.",
        en: "A task has 1 to 200 characters, none of them invisible.")
    let invalidColour = Refusal(
        .unprocessable, "invalid_colour", on: "subjects_colour", "projects_colour", field: "colour",
        ko: "색은 \(Colour.names) 중 하나예요.", en: "The colour is one of \(Colour.names).")
    let invalidEstimate = Refusal(
        .unprocessable, "invalid_estimate", on: "tasks_estimate_seconds", field: "estimate_seconds",
        ko: "예상 시간은 1분에서 1000시간 사이여야 해요.", en: "An estimate is between 1 minute and 1000 hours.")
    let invalidArchived = Refusal(
        .unprocessable, "invalid_archived", field: "archived",
        ko: "archived는 false, true, all 중 하나예요.", en: "The parameter archived is false, true or all.")
    let invalidDone = Refusal(
        .unprocessable, "invalid_done", field: "done",
        ko: "done은 true나 false예요.", en: "The parameter done is true or false.")
    let invalidBy = Refusal(
        .unprocessable, "invalid_by", field: "by",
        ko: "by는 subject, project, task 중 하나예요.", en: "The parameter by is subject, project or task.")
    /// A task is to be in a project that is not there.
    let unknownProject = Refusal(
        .unprocessable, "unknown_project", on: "task_projects_project", field: "project_ids",
        ko: "그런 프로젝트가 없어요.", en: "There is no such project.")
    let tooManyProjectsOfTask = Refusal(
        .unprocessable, "too_many_projects", field: "project_ids",
        ko: "할 일 하나는 프로젝트 20개까지 넣을 수 있어요.", en: "A task is in at most 20 projects.")
    /// The limit of subjects, projects or tasks that are not archived is reached.
    let tooManySubjects = Refusal(
        .unprocessable, "too_many_subjects", on: "too_many_subjects",
        ko: "과목은 \(RuleNumber.mostLabels)개까지예요. 쓰지 않는 과목을 보관해 주세요.",
        en: "You can have \(RuleNumber.mostLabels) subjects. Archive some that you no longer use.")
    let tooManyProjects = Refusal(
        .unprocessable, "too_many_projects", on: "too_many_projects",
        ko: "프로젝트는 \(RuleNumber.mostLabels)개까지예요. 끝난 프로젝트를 보관해 주세요.",
        en: "You can have \(RuleNumber.mostLabels) projects. Archive some that are over.")
    let tooManyTasks = Refusal(
        .unprocessable, "too_many_tasks", on: "too_many_tasks",
        ko: "할 일은 \(RuleNumber.mostLabels)개까지예요. 끝낸 일을 보관해 주세요.",
        en: "You can have \(RuleNumber.mostLabels) tasks. Archive some that are done.")
}

extension Refusal {
    package static let labels = LabelRefusals()
}
