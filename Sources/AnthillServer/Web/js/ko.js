import { b } from "./dom.js";

const duration = (seconds) => {
  if (seconds < 60) return `${seconds}초`;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return [hours > 0 && `${hours}시간`, (minutes > 0 || hours === 0) && `${minutes}분`].filter(Boolean).join(" ");
};

/** To the second: "1시간 2분 3초". */
const durationExact = (seconds) => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return [hours > 0 && `${hours}시간`, minutes > 0 && `${minutes}분`, (rest > 0 || seconds === 0) && `${rest}초`]
    .filter(Boolean)
    .join(" ");
};

const span = (seconds) => {
  const [days, hours] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24];
  return days > 0 ? `${days}일${hours > 0 ? ` ${hours}시간` : ""}` : duration(Math.max(60, seconds));
};

const places = { Seoul: "서울", Tokyo: "도쿄", Berlin: "베를린", London: "런던", Paris: "파리", "New York": "뉴욕" };
const place = (city) => places[city] ?? city;

export const words = {
  brand: "공부 개미",
  brandInFull: "공부 개미: 함께 공부하는 사람들의 순위표",
  skip: "본문으로 건너뛰기",
  toHome: "공부하러 가기",
  email: "이메일",
  nickname: "별명",
  save: "저장",
  close: "닫기",
  cancel: "그만두기",
  loading: "불러오고 있어요",
  duration,
  durationExact,

  nav: { label: "주 메뉴", home: "홈", board: "순위", me: "나", profile: (name) => `내 정보: ${name}` },
  foot: { help: "도움말", api: "API" },

  tasks: {
    subject: "과목",
    task: "할 일",
    noSubject: "과목 없이",
    noTask: "할 일 없이",
  },

  trouble: {
    unreachable: ["잠깐 길이 막혔어요", "서버에 닿지 않아요. 타이머는 서버에서 계속 가고 있으니 1초도 잃지 않아요. 곧 다시 해 볼게요."],
    fault: ["잠깐 길이 막혔어요", "서버가 답을 만들지 못했어요. 적어 둔 공부는 그대로 있어요. 다시 해 보고, 그래도 그러면 요청 번호를 알려 주세요."],
    missing: ["여기에는 아무것도 없어요", "주소가 바뀌었거나, 나에게는 보이지 않는 곳이에요. 주소를 한 번 더 봐 주세요."],
    again: "지금 다시 하기",
    home: "처음으로",
    request: (id) => `요청 번호 ${id}`,
  },
  connection: {
    lost: (time) => `연결이 끊겼어요. ${time}에 마지막으로 봤어요.`,
    safe: "타이머는 서버에서 계속 가고 있어요.",
    back: "다시 연결됐어요.",
  },
  form: {
    sending: "보내고 있어요",
    lacking: ({ validity, type, minLength }) => {
      if (validity.valueMissing) return "여기를 채워 주세요.";
      if (validity.tooShort) return `${minLength}자 이상 적어 주세요.`;
      return type === "email" ? "dodam@example.kr처럼 적어 주세요." : "한 번 더 봐 주세요.";
    },
  },

  landing: {
    title: "새벽 두 시의 공부도, 오늘의 공부예요.",
    lead: "공부 개미는 함께 공부하는 사람들의 타이머와 순위표예요. 하루는 자정이 아니라 새벽 다섯 시에 바뀌고, 끝난 달의 순위는 그대로 남아요.",
    how: "어떻게 세는지 보기",
    caption: "새벽 다섯시 스터디 · 11월, 지금",
    sample: [
      { rank: 1, name: "새벽네시의도토리", seconds: 772620, live: true },
      { rank: 2, name: "한걸음씩꾸준히", seconds: 712920, hand: 28500, live: true },
      { rank: 2, name: "김하늘", seconds: 712920 },
      { rank: 4, name: "국어는내가지킨다", seconds: 675900, hand: 81100, live: true },
    ],
    dayTitle: "하루는 모두가 잘 때 끝나요",
    night: {
      label: "밤 11시 10분부터 새벽 2시 40분까지의 공부는 모두 20일의 공부예요. 하루는 새벽 5시에 바뀌어요.",
      day: "11월 20일",
      next: "21일",
      study: "3시간 30분",
      midnight: "자정",
      passes: "그냥 지나가요",
      turns: "여기서 바뀌어요",
    },
    day: "모임마다 시간대와 하루가 바뀌는 시각을 정해요. 어디에 있든 같은 시계로 셈하니, 밤 공부가 두 날로 쪼개져 보이지 않아요.",
    monthTitle: "끝난 달은 끝난 그대로예요",
    month: "달이 끝나면 늦게 올리는 기록을 48시간 동안 기다려요. 그다음에는 닫혀서, 나중에 적은 시간이 그 달의 순위를 바꾸지 않아요.",
    growthTitle: "오늘이 자라는 게 보여요",
    growsAt: { seed: "시작하면", sprout: "3:21부터", apple: "6:51부터", tree: "8:32부터" },
    growth: "타이머를 켜면 씨앗이 심기고, 공부한 만큼 하루 동안 자라요.",
    stampTitle: "목표를 채우면 도장 하나",
    stampName: "공부 개미",
    stamp: "그날의 목표를 채우면 공부 개미 도장을 받아요.",
    goal: "하루 목표는 스스로 정해요. 내일 바꾼 목표가 오늘을 고쳐 쓰지는 않아요.",
  },

  register: {
    title: "이메일로 시작하기",
    lead: "확인 메일을 보내 드려요. 비밀번호는 그다음에 정해요.",
    submit: "확인 메일 받기",
    already: "이미 쓰고 있다면",
    sentTitle: "메일을 확인해 주세요",
    sent: (address) => [address, " 주소로 메일을 보냈어요. 24시간 안에 링크를 눌러 주세요."],
    spam: "메일이 안 보이면 스팸함을 봐 주세요. 이미 가입한 주소라면 가입 링크 대신 안내가 가요.",
    again: "다시 보내기",
    againIn: (seconds) => `다시 보내기 (${seconds}초 뒤)`,
    other: "다른 주소로 할래요",
  },
  welcome: {
    page: "어서 오세요",
    title: "주소를 확인했어요",
    lead: "두 가지만 더 정해요. 순위표에 보일 별명과 비밀번호예요.",
    nicknameHint: "순위표에 보여요. 같은 별명이 있어도 되고, 언제든 바꿀 수 있어요.",
    clock: (time, zone) => ["공부 하루는 ", b(`${time}, ${zone}`), "에 바뀌어요. 설정에서 바꿀 수 있어요."],
    submit: "공부 시작하기",
    expiredTitle: "이 링크는 이제 쓸 수 없어요",
    expired: "이미 썼거나 24시간이 지난 링크예요. 메일은 다시 받을 수 있어요.",
    anew: "메일 다시 받기",
  },
  password: { label: "비밀번호", hint: "10자 이상이면 돼요. 나만 이어 붙일 낱말 서너 개가 좋아요." },
  signIn: {
    title: "로그인",
    lead: "다시 만나서 반가워요.",
    submit: "로그인",
    forgotten: "비밀번호를 잊었어요",
  },
  reset: {
    title: "비밀번호 다시 정하기",
    lead: "가입한 주소로 링크를 보내 드려요.",
    submit: "링크 받기",
    sentTitle: "메일을 확인해 주세요",
    sent: (address) => [address, " 주소로 가입했다면 링크가 가요. 30분 안에 눌러 주세요."],
    spam: "메일이 안 보이면 스팸함을 봐 주세요. 지금 쓰는 로그인은 새 비밀번호를 정할 때까지 그대로예요.",
  },
  newPassword: {
    title: "새 비밀번호",
    lead: "정하고 나면 모든 기기에서 다시 로그인해요.",
    label: "새 비밀번호",
    submit: "이 비밀번호로 하기",
    doneTitle: "비밀번호를 바꿨어요",
    done: "모든 기기에서 로그아웃했어요. 새 비밀번호로 로그인해 주세요.",
    expiredTitle: "이 링크는 이제 쓸 수 없어요",
    expired: "이미 썼거나 30분이 지난 링크예요. 링크는 다시 받을 수 있어요.",
    anew: "링크 다시 받기",
  },

  home: {
    title: "오늘",
    panel: "타이머와 오늘의 공부",
    today: (day) => `오늘, ${day}`,
    goalMet: "목표를 채웠어요",
    ofGoal: (goal) => `목표 ${goal}`,
    compared: (seconds) => {
      if (Math.abs(seconds) < 60) return "어제와 같아요";
      return seconds > 0 ? `어제보다 ${duration(seconds)} 더 했어요` : `어제만큼 하려면 ${duration(-seconds)} 남았어요`;
    },
    excerpt: (month) => `${month} 순위 맨 위 세 명과 나`,
  },
  growth: { rest: "아직 심지 않았어요", seed: "씨앗", sprout: "새싹", apple: "사과", tree: "사과나무" },

  timer: {
    start: "공부 시작",
    pause: "잠깐 쉬기",
    pauseShort: "쉬기",
    resume: "이어서 하기",
    stop: "끝내기",
    pickGoal: "이번 목표",
    runs: "타이머가 가고 있어요:",
    above: (state, past) => (past ? "목표를 채웠어요" : { idle: "시작해 볼까요", running: "공부 중", paused: "쉬는 중" }[state]),
    goal: (goal) => `목표 ${goal}`,
    noGoal: "목표 없이",
    left: (goal, left) => `목표 ${goal}까지 ${left}`,
    altogether: (time) => `모두 ${time}`,
    label: (state, seconds, goal, past) => {
      if (state === "idle") return "아직 시작하지 않았어요";
      if (past) return `목표 ${duration(goal)}을 채우고 ${duration(Math.max(0, seconds - goal))} 더 하는 중`;
      const left = goal ? `, 목표까지 ${duration(goal - seconds)}` : "";
      return `${state === "paused" ? "쉬는 중, " : ""}지금까지 ${duration(seconds)}${left}`;
    },
    announce: { start: "타이머를 켰어요.", pause: "잠깐 쉬어요.", resume: "이어서 가요." },
    goalReached: "목표를 채웠어요. 타이머는 계속 가요.",
    finished: (time) => `${time} 공부했어요.`,
    unconfirmed: "타이머가 12시간에 멈췄어요. 언제 끝났는지 알려 주기 전에는 셈하지 않아요.",
  },

  sessions: {
    title: "오늘의 기록",
    none: "오늘은 아직 기록이 없어요.",
    when: "언제",
    now: "지금",
    byHand: "직접",
    paused: "쉬는 중",
    unconfirmed: "확인 필요",
    takeBack: "기록 지우기",
    takeBackLabel: (when) => `${when} 기록 지우기`,
    takeBackAsk: (when) => `${when} 공부를 지울까요? 오늘의 시간과 순위표에서 빠져요.`,
    takenBack: "기록을 지웠어요.",
    early: (time, before) => `${time} 앞(${before})은 어제 공부예요.`,
  },
  unconfirmed: {
    title: "멈춘 타이머",
    chip: "확인 필요",
    text: (start) => [`${start}에 켠 타이머가 12시간에 멈췄어요. `, b("정말 언제 끝났나요?"), " 알려 주기 전에는 셈하지 않아요."],
    end: "끝난 시각",
    hint: (latest) => `늦어도 ${latest}이에요.`,
    submit: "이때 끝났어요",
    done: "알려 줘서 고마워요. 이제 셈해요.",
  },
  log: {
    title: "직접 적기",
    lead: "타이머를 켜지 못한 공부를 적어요. 48시간 안의 공부를 적을 수 있고, 순위표에는 직접 적은 비율이 보여요.",
    day: "날짜",
    start: "시작",
    end: "끝",
    endHint: "시작보다 이르면 다음 날로 봐요.",
    submit: "기록하기",
    zone: (zone, time) => `${zone} 시각이에요. 공부 하루는 ${time}에 바뀌어요.`,
    done: (time) => `${time}을 적었어요.`,
  },

  board: {
    rank: "순위",
    name: "이름",
    time: "시간",
    timeUnit: " (시간:분)",
    me: "나",
    studying: "공부 중",
    byHand: (share) => `직접 ${share}%`,
    tied: "공동",
    ranked: (rank, tied) => `${rank}위${tied ? ", 공동" : ""}`,
    new: "새로",
    newInFull: "새로 들어왔어요",
    same: "오늘 변동 없음",
    places: "계단",
    up: (count) => `오늘 ${count}계단 올라옴`,
    down: (count) => `오늘 ${count}계단 내려옴`,
    more: (from, to) => (to && to >= from ? `${from}위부터 ${to}위까지 보기` : "더 보기"),
    caption: (group, period) => `${group}, ${period} 순위`,
    people: (count, studying) => `${count}명${studying === null ? "" : ` · 지금 ${studying}명 공부 중`}`,
    period: "기간",
    choosePeriod: "기간 고르기",
    periods: { day: "일", week: "주", month: "월" },
    before: (title) => `이전, ${title}`,
    notYet: { day: "내일은 아직이에요", week: "다음 주는 아직이에요", month: "다음 달은 아직이에요" },
    side: "내 순위와 규칙",
    myPlace: "내 자리",
    toNext: "한 계단 위까지",
    gapShort: (time) => `한 계단 위까지 ${time}`,
    leading: "맨 앞에 있어요.",
    leadingShort: "맨 앞",
    notBegun: "첫 1분을 공부하면 자리가 생겨요.",
    nowStudying: (count) => `지금 ${count}명이 공부 중`,
    someStudy: "지금 공부 중",
    nobodyStudies: "지금은 모두 쉬고 있어요",
    grace: (title) => `${title}은 끝났고, 아직 확정 전이에요.`,
    graceText: (time, city) => `늦게 올린 기록은 ${time}(${place(city)})까지 셈해요. 그다음에 순위를 확정해요.`,
    finalSince: (time) => `${time}에 확정`,
    freshTitle: (title) => `${title}이 막 시작됐어요`,
    finalTitle: (title) => `${title}은 이렇게 끝났어요`,
    fresh: "첫 1분을 공부한 사람이 1위예요.",
    nothingTitle: (title) => `${title}에는 기록이 없어요`,
    nothing: "이때는 아무도 공부를 적지 않았어요.",
    rankNow: (rank, gap) => `${rank}위가 됐어요.${gap ? ` 한 계단 위까지 ${gap}이에요.` : ""}`,
  },
  rules: {
    title: "이 순위의 규칙",
    clockShort: (time, city) => ["하루는 ", b(`${time} ${place(city)}`), "에 바뀌어요."],
    clock: (time, zone) => ["공부 하루는 ", b(`${time} ${zone}`), "에 바뀌어요. 그 앞은 어제예요."],
    endsIn: (title, left) => [`${title}은 `, b(left), " 뒤에 끝나요."],
    ended: (title) => `${title}은 끝났어요.`,
    closes: (time) => [b(time), "에 확정돼요."],
    cap: (hours) => ["하루에 ", b(`${hours}시간`), "까지 셈해요."],
    manual: (share) => ["직접 적은 시간도 셈해요. ", b(`직접 ${share}%`), "는 그 비율이고, 막대의 점선이에요."],
    timerOnly: "타이머로 잰 시간만 셈해요.",
    more: "순위를 어떻게 세나요?",
    span,
  },

  explain: {
    title: "내 숫자 풀어보기",
    timed: "타이머로 잰 시간",
    byHand: "직접 입력한 시간",
    notCounted: "여기서는 셈하지 않는 직접 입력",
    cut: (hours) => `하루 ${hours}시간을 넘어 빠진 시간`,
    amended: "관리자가 고친 시간",
    total: (title, rank) => `${title}, ${rank}위`,
    rules: (time, zone, hours, manual) =>
      `이 모임의 규칙: 하루는 ${time} ${zone}에 바뀌고, 하루 ${hours}시간까지 셈하고, 직접 입력${manual ? "도 셈해요" : "은 셈하지 않아요"}.`,
    nothing: "이 기간에 셈한 공부가 없어요.",
    days: "날마다",
    parts: (day) => `${day} 조각`,
    cutChip: (time) => `${time} 빠짐`,
    capped: (all, counted) => `이날 모두 ${all}이지만 ${counted}까지 셈했어요.`,
    before: (from, start, time) => `${from}부터 한 공부 가운데 ${start} 뒤의 조각이에요. 앞 ${time}은 전날에 있어요.`,
    after: (start, time) => `같은 공부의 ${start} 뒤 ${time}은 다음 날에 있어요.`,
    midnight: (day) => `자정을 지나도 ${day}이에요.`,
    handNotCounted: "이 모임은 직접 입력을 셈하지 않아요.",
  },

  groups: {
    title: "모임",
    one: "모임",
    all: "모든 모임",
    noneTitle: "아직 모임이 없어요",
    none: "친구에게 받은 초대 링크를 열거나, 새 모임을 만들어 보세요. 혼자서도 타이머는 다 쓸 수 있어요.",
    create: "모임 만들기",
    createSubmit: "만들기",
    name: "이름",
    nameHint: "1자부터 50자까지예요.",
    description: "소개 (없어도 돼요)",
    ruleHint: (time, zone) => `하루는 내 공부 시계대로 ${time} ${zone}에 바뀌고, 직접 적은 시간도 하루 16시간까지 셈해요.`,
    members_count: (count) => `${count}명`,
    clock: (time, city) => `하루는 ${time} ${place(city)}에 바뀌어요`,
    haveLink: "초대 링크 넣기",
    link: "초대 링크",
    linkHint: "받은 링크를 그대로 붙여 주세요.",
    openLink: "열기",
    invite: "초대하기",
    inviteLead: "이 링크를 받은 사람은 누구나 모임에 들어올 수 있어요.",
    lasts: (time) => `${time}까지, 몇 명이든 쓸 수 있어요.`,
    copy: "링크 복사",
    copied: "복사했어요.",
    copyByHand: "링크를 길게 눌러 복사해 주세요.",
    share: "다른 앱으로 보내기",
    members: "함께하는 사람",
    roles: { owner: "모임장", admin: "관리자", member: "멤버" },
    leave: "나가기",
    leaveAsk: "모임에서 나갈까요? 내 기록은 그대로 남고, 이 모임의 순위표에서는 빠져요.",
    remove: "내보내기",
    removeAsk: (name) => [name, " 님을 내보낼까요?"],
    removeLabel: (name) => `${name} 님 내보내기`,
    removed: (name) => `${name} 님을 내보냈어요.`,
  },
  join: {
    page: "초대",
    lead: "함께 공부하자고 초대받았어요.",
    manual: "직접 적은 시간도 셈하고, 그 비율을 함께 보여요.",
    as: (name) => [name, " 님으로 들어가요."],
    submit: "함께하기",
    haveAccount: "이미 쓰고 있어요",
    back: "시작하고 나면 이 초대로 다시 와요.",
    goneTitle: "이 초대는 이제 쓸 수 없어요",
    gone: "기한이 지났거나 거두어들인 링크예요. 보내 준 사람에게 새 링크를 부탁해 주세요.",
  },

  settings: {
    title: "설정",
    saved: "저장했어요.",
    you: "나",
    nicknameHint: "순위표에 보여요",
    passwordHint: "메일의 링크로 바꿔요. 모든 기기에서 다시 로그인해요",
    passwordChange: "바꾸기",
    clock: "공부 시계",
    zone: "시간대",
    start: "하루가 시작되는 시각",
    startHint: "이제부터 적는 공부에 쓰여요. 지난 기록은 그대로예요.",
    goal: "하루 목표",
    goalHint: "채우면 공부 개미를 받아요",
    look: "모양과 언어",
    theme: "테마",
    themes: { system: "기기대로", light: "밝게", dark: "어둡게" },
    language: "언어",
    device: "이 기기",
    help: "도움말",
    helpHint: "공부 하루, 순위, 내 정보",
    signOut: "로그아웃",
    signOutHint: "타이머는 켜 둔 대로 계속 가요",
  },

  help: {
    title: "도움말",
    sections: [
      [
        "day",
        "공부 하루",
        "하루는 자정이 아니라 공부 시계의 시각에 바뀌어요. 보통은 05:00이에요. 새벽 4시 59분까지의 공부는 어제의 공부예요.",
        "05:00을 넘겨 공부하면 앞부분은 어제, 뒷부분은 오늘로 나뉘어요. 두 조각을 더하면 언제나 공부한 시간과 같아요.",
        "주는 월요일, 달은 1일의 그 시각에 시작해요. 내 기록은 내 공부 시계로, 모임의 순위는 모두 모임의 시계로 세요.",
      ],
      [
        "timer",
        "타이머",
        "타이머는 서버에서 가요. 화면을 닫거나 전화기가 꺼져도 1초도 잃지 않고, 다른 기기에서 이어서 볼 수 있어요.",
        "타이머는 한 번에 하나예요. 쉬는 동안은 세지 않아요. 12시간이 되면 거기서 멈추고, 정말 언제 끝났는지 확인한 다음에 셈해요.",
      ],
      [
        "by-hand",
        "직접 적기",
        "타이머를 켜지 못했다면 48시간 안에 직접 적을 수 있어요. 한 번에 12시간까지, 이미 있는 기록과 겹치지 않게 적어요.",
        "순위표에는 직접 적은 비율이 보여요. 직접 9%는 그 사람 시간의 9%가 직접 적은 것이라는 뜻이고, 막대에서는 점선이에요.",
      ],
      [
        "ranks",
        "순위",
        "같은 시간이면 같은 순위예요. 1위, 2위, 2위 다음은 4위예요. 가고 있는 타이머의 시간도 바로 더해요.",
        "화살표는 공부 하루가 시작될 때와 견준 변화예요. 달의 첫날에는 지난달의 마지막 순위와 견줘요.",
        "모임은 하루에 몇 시간까지 셀지, 직접 적은 시간도 셀지 정해요. 달이 끝나면 늦은 기록을 48시간 기다린 다음 확정해요. 확정된 달에는 더 적을 수 없어요.",
      ],
      [
        "privacy",
        "내 정보",
        "이메일 주소는 나에게만 보여요. 같은 모임의 사람에게는 별명, 공부한 시간, 직접 적은 비율, 지금 공부 중인지가 보여요. 무엇을 공부했는지는 보이지 않아요.",
        "광고도, 다른 곳에 알리는 추적도 없어요. 이 서비스는 여러분의 서버에서 돌아가고, 기록은 그 데이터베이스에만 있어요.",
      ],
    ],
  },
};
