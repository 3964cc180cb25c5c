-- Subjects, projects and tasks.
SELECT;
