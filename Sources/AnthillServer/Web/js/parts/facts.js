import { dayAndTime, monthInFull } from "../words/time.js";

/** The details of an event, with instants and months as people write them. */
export const factsOf = (details, zone) => ({
  ...details,
  ...(details.until && { until: dayAndTime(details.until, zone) }),
  ...(details.month && { month: monthInFull(details.month) }),
  ...(details.from_month && { from_month: monthInFull(details.from_month) }),
});
