import { b } from "./dom.js";

const duration = (seconds) => {
  if (seconds < 60) return `${seconds} s`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return [hours > 0 && `${hours} h`, (minutes > 0 || hours === 0) && `${minutes} min`].filter(Boolean).join(" ");
};

/** To the second: "1 h 2 min 3 s". */
const durationExact = (seconds) => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, (rest > 0 || seconds === 0) && `${rest} s`]
    .filter(Boolean)
    .join(" ");
};

const span = (seconds) => {
  const [days, hours] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24];
  return days > 0 ? `${days} d${hours > 0 ? ` ${hours} h` : ""}` : duration(Math.max(60, seconds));
};

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

export const words = {
  brand: "Anthill",
  brandInFull: "Anthill: a board for people who study together",
  skip: "Skip to content",
  toHome: "Go and study",
  email: "E-mail",
  nickname: "Nickname",
  save: "Save",
  close: "Close",
  cancel: "Cancel",
  loading: "Loading",
  duration,
  durationExact,

  nav: { label: "Main", home: "Home", board: "Board", me: "Me", profile: (name) => `My profile: ${name}` },
  foot: { help: "Help", api: "API" },

  tasks: {
    subject: "Subject",
    task: "Task",
    noSubject: "No subject",
    noTask: "No task",
  },

  trouble: {
    unreachable: [
      "The path is blocked for a moment",
      "The server cannot be reached. Your timer runs on the server, so no second is lost. We will try again soon.",
    ],
    fault: [
      "The path is blocked for a moment",
      "The server could not make an answer. What you have recorded is safe. Try again, and if it stays, tell us the request number.",
    ],
    missing: [
      "There is nothing here",
      "The address has changed, or this is not for you to see. Take another look at it.",
    ],
    again: "Try again now",
    home: "Back to the start",
    request: (id) => `Request ${id}`,
  },
  connection: {
    lost: (time) => `Offline. Last seen ${time}.`,
    safe: "Your timer goes on, on the server.",
    back: "Connected again.",
  },
  form: {
    sending: "Sending",
    lacking: ({ validity, type, minLength }) => {
      if (validity.valueMissing) return "Please fill this in.";
      if (validity.tooShort) return `Use ${minLength} characters or more.`;
      return type === "email" ? "Write it like dodam@example.kr." : "Take another look at this.";
    },
  },

  landing: {
    title: "Two in the morning still counts as today.",
    lead: "Anthill is a timer and a board for people who study together. The day ends at five in the morning, not at midnight, and a finished month stays as it was.",
    how: "See how it counts",
    caption: "Grad Exam Room · November, now",
    sample: [
      { rank: 1, name: "Haneul", seconds: 583800, live: true },
      { rank: 2, name: "tiny_but_steady", seconds: 582900, hand: 17500, live: true },
      { rank: 2, name: "Bartholomew", seconds: 582900 },
      { rank: 4, name: "민서", seconds: 536520, hand: 64400, live: true },
    ],
    dayTitle: "The day ends while everyone sleeps",
    night: {
      label: "Study from 11:10 pm to 2:40 am all belongs to the 20th. The day changes at 5 in the morning.",
      day: "20 November",
      next: "21",
      study: "3 h 30 min",
      midnight: "Midnight",
      passes: "just passes",
      turns: "the day turns",
    },
    day: "Each group sets its time zone and the hour its day turns. Everyone is counted by the same clock wherever they are, so a night of study is never cut in two.",
    monthTitle: "A finished month stays finished",
    month: "A month waits 48 hours after its end for what was studied offline. Then it is closed: nothing written down later moves its board.",
    growthTitle: "Watch today grow",
    growsAt: { seed: "at the start", sprout: "from 3:21", apple: "from 6:51", tree: "from 8:32" },
    growth: "Starting the timer plants a seed, and it grows with the hours of the day.",
    stampTitle: "A stamp for the goal",
    stampName: "Study ant",
    stamp: "The day that meets its goal gets the stamp of the study ant.",
    goal: "You choose how long a day you aim for. A goal changed tomorrow does not rewrite today.",
  },

  register: {
    title: "Start with e-mail",
    lead: "We send you a mail to confirm the address. You choose a password after that.",
    submit: "Send the mail",
    already: "Already have an account?",
    sentTitle: "Check your mail",
    sent: (address) => ["We wrote to ", address, ". Open the link in it within 24 hours."],
    spam: "If you cannot see the mail, look in spam. If the address has an account already, the mail says so instead.",
    again: "Send again",
    againIn: (seconds) => `Send again (in ${seconds} s)`,
    other: "Use another address",
  },
  welcome: {
    page: "Welcome",
    title: "Your address is confirmed",
    lead: "Two things left: a name for the board and a password.",
    nicknameHint: "Shown on boards. Others may have the same one; you can change it any time.",
    clock: (time, zone) => ["Your study day ends at ", b(`${time}, ${zone}`), ". You can change this in settings."],
    submit: "Start studying",
    expiredTitle: "This link no longer works",
    expired: "It was used already, or is older than 24 hours. You can have another one sent.",
    anew: "Send another mail",
  },
  password: {
    label: "Password",
    hint: "10 characters or more. Three or four words that only you would put together are good.",
  },
  signIn: {
    title: "Sign in",
    lead: "Good to see you again.",
    submit: "Sign in",
    forgotten: "Forgot the password",
  },
  reset: {
    title: "Choose a new password",
    lead: "We send a link to the address of your account.",
    submit: "Send the link",
    sentTitle: "Check your mail",
    sent: (address) => ["If ", address, " has an account, a link is on its way. Open it within 30 minutes."],
    spam: "If you cannot see the mail, look in spam. Your devices stay signed in until you choose the new password.",
  },
  newPassword: {
    title: "A new password",
    lead: "After this you sign in again on every device.",
    label: "New password",
    submit: "Use this password",
    doneTitle: "Your password is changed",
    done: "Every device is signed out. Sign in with the new password.",
    expiredTitle: "This link no longer works",
    expired: "It was used already, or is older than 30 minutes. You can have another one sent.",
    anew: "Send another link",
  },

  home: {
    title: "Today",
    panel: "Timer and today's study",
    today: (day) => `Today, ${day}`,
    goalMet: "Goal reached",
    ofGoal: (goal) => `Goal ${goal}`,
    compared: (seconds) => {
      if (Math.abs(seconds) < 60) return "The same as yesterday";
      return seconds > 0 ? `${duration(seconds)} more than yesterday` : `${duration(-seconds)} to yesterday's time`;
    },
    excerpt: (month) => `The top three of ${month}, and you`,
  },
  growth: { rest: "Nothing planted yet", seed: "Seed", sprout: "Sprout", apple: "Apple", tree: "Apple tree" },

  timer: {
    start: "Start studying",
    pause: "Take a break",
    pauseShort: "Break",
    resume: "Go on",
    stop: "Finish",
    pickGoal: "Goal this time",
    runs: "Timer running:",
    above: (state, past) => (
      past ? "Goal reached" : { idle: "Ready to start", running: "Studying", paused: "On a break" }[state]
    ),
    goal: (goal) => `Goal ${goal}`,
    noGoal: "No goal",
    left: (goal, left) => `${left} to ${goal}`,
    altogether: (time) => `${time} in all`,
    label: (state, seconds, goal, past) => {
      if (state === "idle") return "Not started yet";
      if (past) return `Goal of ${duration(goal)} reached, ${duration(Math.max(0, seconds - goal))} more`;
      const left = goal ? `, ${duration(goal - seconds)} to the goal` : "";
      return `${state === "paused" ? "On a break, " : ""}${duration(seconds)} so far${left}`;
    },
    announce: { start: "The timer is running.", pause: "The timer is paused.", resume: "The timer goes on." },
    goalReached: "Goal reached. The timer goes on.",
    finished: (time) => `You studied for ${time}.`,
    unconfirmed: "The timer stopped at 12 hours. It counts once you say when you really finished.",
  },

  sessions: {
    title: "Today's sessions",
    none: "Nothing recorded today so far.",
    when: "When",
    now: "now",
    byHand: "By hand",
    paused: "On a break",
    unconfirmed: "To confirm",
    takeBack: "Take it back",
    takeBackLabel: (when) => `Take back ${when}`,
    takeBackAsk: (when) => `Take back the session ${when}? It no longer counts for today or on boards.`,
    takenBack: "The session is taken back.",
    early: (time, before) => `${before} before ${time} belong to yesterday.`,
  },
  unconfirmed: {
    title: "A stopped timer",
    chip: "To confirm",
    text: (start) => [
      `The timer you started on ${start} stopped at 12 hours. `,
      b("When did you really finish?"),
      " It counts once you say so.",
    ],
    end: "Finished at",
    hint: (latest) => `${latest} at the latest.`,
    submit: "I finished then",
    done: "Thank you. It counts now.",
  },
  log: {
    title: "Log by hand",
    lead: "For study without the timer. You can log the last 48 hours, and boards show the share by hand.",
    day: "Date",
    start: "Start",
    end: "End",
    endHint: "If it is before the start, it is the next day.",
    submit: "Log it",
    zone: (zone, time) => `Times are in ${zone}. Your study day ends at ${time}.`,
    done: (time) => `${time} logged.`,
  },

  board: {
    rank: "Rank",
    name: "Member",
    time: "Time",
    timeUnit: " (hours:minutes)",
    me: "You",
    studying: "Studying",
    byHand: (share) => `by hand ${share}%`,
    tied: "tied",
    ranked: (rank, tied) => `Rank ${rank}${tied ? ", tied" : ""}`,
    new: "new",
    newInFull: "new on the board",
    same: "no change today",
    places: "",
    up: (places) => `up ${places} today`,
    down: (places) => `down ${places} today`,
    more: (from, to) => (to && to >= from ? `Show ranks ${from} to ${to}` : "Show more"),
    caption: (group, period) => `${group}, ranking of ${period}`,
    people: (number, studying) => `${count(number, "member")}${studying === null ? "" : ` · ${studying} studying now`}`,
    period: "Period",
    choosePeriod: "Choose a period",
    periods: { day: "Day", week: "Week", month: "Month" },
    before: (title) => `Previous, ${title}`,
    notYet: { day: "Tomorrow has not begun", week: "Next week has not begun", month: "Next month has not begun" },
    side: "My rank and the rules",
    myPlace: "My place",
    toNext: "To the next rank",
    gapShort: (time) => `${time} to the next rank`,
    leading: "You are in front.",
    leadingShort: "in front",
    notBegun: "Your first minute gives you a place.",
    nowStudying: (number) => `${number} studying now`,
    someStudy: "Studying now",
    nobodyStudies: "Everyone rests just now",
    grace: (title) => `${title} is over, not yet final.`,
    graceText: (time, zone) => `Late uploads count until ${time} ${zone}. Then the ranking is final.`,
    finalSince: (time) => `final since ${time}`,
    freshTitle: (title) => `${title} has just begun`,
    finalTitle: (title) => `How ${title} ended`,
    fresh: "Whoever studies the first minute is first.",
    nothingTitle: (title) => `Nothing in ${title}`,
    nothing: "Nobody recorded any study then.",
    rankNow: (rank, gap) => `You are now rank ${rank}.${gap ? ` ${gap} to the next.` : ""}`,
  },
  rules: {
    title: "The rules of this board",
    clockShort: (time, place) => ["Days end at ", b(`${time} ${place}`), "."],
    clock: (time, zone) => [
      "A study day ends at ",
      b(`${time} ${zone}`),
      ". Anything earlier belongs to the day before.",
    ],
    endsIn: (title, left) => [`${title} ends in `, b(left), "."],
    ended: (title) => `${title} is over.`,
    closes: (time) => ["It is final on ", b(time), "."],
    cap: (hours) => ["At most ", b(`${hours} hours`), " a day count."],
    manual: (share) => [
      "Time logged by hand counts too. ",
      b(`By hand ${share}%`),
      " is its share, the dashes in the bar.",
    ],
    timerOnly: "Only time with the timer counts.",
    more: "How are ranks counted?",
    span,
  },

  explain: {
    title: "Explain my number",
    timed: "Timed",
    byHand: "Written by hand",
    notCounted: "By hand, which does not count here",
    cut: (hours) => `Above ${hours} hours a day`,
    amended: "Amended by an admin",
    total: (title, rank) => `${title}, rank ${rank}`,
    rules: (time, zone, hours, manual) =>
      `The rules here: a day turns at ${time} ${zone}, up to ${hours} hours of it count, and time by hand ${manual ? "counts" : "does not count"}.`,
    nothing: "Nothing counts in this period.",
    days: "Day by day",
    parts: (day) => `Parts of ${day}`,
    cutChip: (time) => `${time} cut`,
    capped: (all, counted) => `${all} in all on this day, of which ${counted} count.`,
    before: (from, start, time) => `The part after ${start} of what began at ${from}. The first ${time} belong to the day before.`,
    after: (start, time) => `The ${time} after ${start} belong to the next day.`,
    midnight: (day) => `Past midnight, and still ${day}.`,
    handNotCounted: "This group does not count time by hand.",
  },

  groups: {
    title: "Groups",
    one: "Group",
    all: "All groups",
    noneTitle: "No group yet",
    none: "Open the link a friend sent you, or found a group of your own. The timer is all yours without one.",
    create: "New group",
    createSubmit: "Create it",
    name: "Name",
    nameHint: "1 to 50 characters.",
    description: "Description (optional)",
    ruleHint: (time, zone) => `Its day ends at ${time} ${zone} as on your study clock. Time by hand counts, up to 16 hours a day.`,
    members_count: (number) => count(number, "member"),
    clock: (time, place) => `days end at ${time} ${place}`,
    haveLink: "I have a link",
    link: "Invitation link",
    linkHint: "Paste the link as you got it.",
    openLink: "Open it",
    invite: "Invite",
    inviteLead: "Anyone with this link can join the group.",
    lasts: (time) => `Works until ${time}, for any number of people.`,
    copy: "Copy the link",
    copied: "Copied.",
    copyByHand: "Press and hold the link to copy it.",
    share: "Send it with another app",
    members: "Members",
    roles: { owner: "Owner", admin: "Admin", member: "Member" },
    leave: "Leave",
    leaveAsk: "Leave the group? Your records stay yours, and you are no longer on its board.",
    remove: "Remove",
    removeAsk: (name) => ["Remove ", name, " from the group?"],
    removeLabel: (name) => `Remove ${name}`,
    removed: (name) => `${name} is no longer in the group.`,
  },
  join: {
    page: "Invitation",
    lead: "You are invited to study together.",
    manual: "Time logged by hand counts too, and its share is shown.",
    as: (name) => ["You join as ", name, "."],
    submit: "Join",
    haveAccount: "I have an account",
    back: "After that you come back to this invitation.",
    goneTitle: "This invitation no longer works",
    gone: "It has expired or was withdrawn. Ask whoever sent it for a new link.",
  },

  settings: {
    title: "Settings",
    saved: "Saved.",
    you: "You",
    nicknameHint: "Shown on boards",
    passwordHint: "By a link in a mail. It signs out every device",
    passwordChange: "Change",
    clock: "Study clock",
    zone: "Time zone",
    start: "The day begins at",
    startHint: "Counts for what you record from now on. The past stays as it was.",
    goal: "Daily goal",
    goalHint: "Reach it for the study ant",
    look: "Look and language",
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    language: "Language",
    device: "This device",
    help: "Help",
    helpHint: "Study days, ranks, your data",
    signOut: "Sign out",
    signOutHint: "A running timer goes on",
  },

  help: {
    title: "Help",
    sections: [
      [
        "day",
        "The study day",
        "A day does not end at midnight but at the hour of the study clock, usually 05:00. Study until 4:59 in the morning belongs to the day before.",
        "If you study past 05:00, the part before it counts for yesterday and the rest for today. The two parts always add up to what you studied.",
        "Weeks begin on Monday and months on the 1st, at that same hour. Your own records go by your study clock; everyone in a group is counted by the group's clock.",
      ],
      [
        "timer",
        "The timer",
        "The timer runs on the server. Close the page or lose your phone's battery: no second is lost, and any other device shows it going on.",
        "There is one timer at a time. Breaks do not count. At 12 hours a timer stops, and it counts once you say when you really finished.",
      ],
      [
        "by-hand",
        "Logging by hand",
        "If you could not use the timer, log the session within 48 hours: up to 12 hours at once, and not over a session that is there already.",
        "Boards show the share by hand. “By hand 9%” means that 9% of that person's time was logged by hand; in the bar it is dashed.",
      ],
      [
        "ranks",
        "Ranks",
        "The same time is the same rank: after 1, 2 and 2 comes 4. Running timers count at once.",
        "Arrows show the change since the study day began. On the first day of a month they compare with the final ranks of the month before.",
        "A group decides how many hours of a day count and whether time by hand does. When a month is over it waits 48 hours for late uploads; then it is final, and nothing can be added.",
      ],
      [
        "privacy",
        "Your data",
        "Only you see your e-mail address. Members of your groups see your nickname, how long you studied, the share by hand, and whether you study now. They do not see what you study.",
        "No advertising, and no tracking that reports to anyone. The service runs on your own server, and records are in its database only.",
      ],
    ],
  },
};
