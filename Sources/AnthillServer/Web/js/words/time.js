import { serverNow } from "../server/clock.js";
import { language } from "./language.js";

/** Korean, or English as this browser writes it: 21 November or November 21. */
const ownTag = language === "en" ? (navigator.languages.find((tag) => /^en\b/.test(tag)) ?? "en-GB") : language;

const two = (number) => String(number).padStart(2, "0");

/** Hours and minutes as tables show them: 117:08. */
export const hm = (seconds) => `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}`;

/** Without minutes where there are none: 16, 16:30. */
export const inHours = (seconds) => hm(seconds).replace(/:00$/, "");

/** Hours, minutes and seconds where sums must add up: 117:08:05. */
export const hms = (seconds) => `${hm(seconds)}:${two(Math.round(seconds) % 60)}`;

/** A running clock: 1:12:45, below an hour 12:45. */
export function clock(seconds) {
  const rest = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? rest.replace(/^0/, "") : `${Math.floor(seconds / 3600)}:${rest}`;
}

const formats = new Map();

function format(zone, options, tag = ownTag) {
  const key = JSON.stringify([zone, options, tag]);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(tag, { timeZone: zone, ...options }));
  return formats.get(key);
}

/** The time of day of an instant in a zone: 14:20. */
export const timeOfDay = (instant, zone) =>
  format(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(new Date(instant));

/** The day of an instant in a zone: "11월 21일", or "2025년 11월 21일" when it is not of this year. */
export const date = (instant, zone) => dayTitle(dayIn(instant, zone), todayIn(zone));

/** The same with the time of day. */
export const dayAndTime = (instant, zone) =>
  `${date(instant, zone)} ${language === "en" ? "at " : ""}${timeOfDay(instant, zone)}`;

/** The year, where a day or month is of another one than `today`. */
const otherYear = (day, today) => day.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" };

const ofDay = (day, options) => format("UTC", options).format(new Date(`${day.length === 7 ? `${day}-01` : day}T00:00:00Z`));

/** "21일 토요일". */
export const dayName = (day) => ofDay(day, { day: "numeric", weekday: "long", ...(language === "en" && { month: "long" }) });

/** "11월 21일 (토)". */
export const dayAndWeekday = (day) => ofDay(day, { month: "long", day: "numeric", weekday: "short" });

/** "11월 21일 토요일", or with the year instead of the weekday when it is of another one than `today`. */
export const dayInFull = (day, today = day) =>
  ofDay(day, { month: "long", day: "numeric", ...(otherYear(day, today) || { weekday: "long" }) });

/** The days of the week from Monday on: "월", "월요일" with `length` "long". */
export const weekdays = (length = "short") =>
  Array.from({ length: 7 }, (_, index) => ofDay(`2024-01-0${index + 1}`, { weekday: length }));

/** "11월 21일", or with the year as above; with `length` "short" abbreviated, here and below. */
export const dayTitle = (day, today = day, length = "long") =>
  ofDay(day, { month: length, day: "numeric", ...otherYear(day, today) });

/** "11월 16일~22일". */
export const dayRange = (first, last, today = first, length = "long") =>
  format("UTC", { month: length, day: "numeric", ...otherYear(first, today) }).formatRange(new Date(first), new Date(last));

/** "11월". */
export const monthTitle = (month, today = month, length = "long") => ofDay(month, { month: length, ...otherYear(month, today) });

/** "2026년 11월". */
export const monthInFull = (month) => ofDay(month, { month: "long", year: "numeric" });

/** The wall-clock time in the zone at an instant, in milliseconds as if it were UTC. */
function wall(instant, zone) {
  const options = {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  };
  const parts = format(zone, { ...options, hourCycle: "h23" }, "en").formatToParts(new Date(instant));
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]));
  return Date.parse(`${of.year}-${of.month}-${of.day}T${of.hour}:${of.minute}:${of.second}Z`);
}

/** The calendar day of an instant in a zone, by midnight. */
export const dayIn = (instant, zone) => new Date(wall(instant, zone)).toISOString().slice(0, 10);

/** Today in a zone, by midnight and the service's clock. */
export const todayIn = (zone) => dayIn(serverNow(), zone);

/** The study day of an instant: the last one that had begun, as the service has it. */
export function studyDay(instant, { time_zone: zone, day_starts_at: start }) {
  const day = dayIn(instant, zone);
  return instantAt(day, start, zone) > new Date(instant) ? addDays(day, -1) : day;
}

/**
 * The instant at which a wall clock in the zone shows that day and time. Of two such instants the later one; a time that
 * the zone skips is as if it did not: so PostgreSQL reads it, too.
 */
export function instantAt(day, time, zone) {
  const shown = Date.parse(`${day}T${time}:00Z`);
  const ahead = (instant) => wall(instant, zone) - instant;
  const later = shown - ahead(shown + 86_400_000);
  return new Date(shown - ahead(later) === later ? later : shown - ahead(shown - 86_400_000));
}

/** The API's way to write an instant: whole seconds. */
export const rfc3339 = (date) => `${date.toISOString().slice(0, 19)}Z`;

/** The day that many days later. */
export function addDays(day, count) {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, 10);
}

/** The period that holds a day, named as the API names it: a day, a week by its Monday, a month. */
export function periodOf(period, day) {
  if (period === "month") return day.slice(0, 7);
  if (period === "day") return day;
  return addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7));
}

/** The period that many periods later. */
export function shift(period, at, by) {
  if (period !== "month") return addDays(at, period === "week" ? 7 * by : by);
  const months = Number(at.slice(0, 4)) * 12 + Number(at.slice(5)) - 1 + by;
  return `${Math.floor(months / 12)}-${two((months % 12) + 1)}`;
}

/** The last part of a zone's name: "Seoul". */
export const city = (zone) => zone.split("/").at(-1).replaceAll("_", " ");

/** The zones to choose from; browsers do not list UTC. */
export const timeZones = () => ["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? [])];

/** The zone this browser is in. */
export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";
