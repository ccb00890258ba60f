import type { FieldError } from "../../fields/field-error.ts";
import { invalid, notSupported, required } from "../../fields/field-errors.ts";
import { dnsSubdomain } from "../../fields/names.ts";
import type { CronJob } from "../../types/batch.ts";
import { ageOf } from "../age.ts";
import type { Kind } from "../kind.ts";
import { specAndStatus } from "../spec-and-status.ts";
import { ageColumn, integer, nameColumn, table, text, wide } from "../table.ts";
import { containersColumn, imagesColumn, selectorText } from "../workloads/columns.ts";
import { defaultTemplate } from "../workloads/template.ts";
import { parseSchedule, ScheduleError } from "./schedule.ts";
import { jobSpecErrors } from "./validate-job.ts";

/** The longest name of a CronJob: its jobs append a dash and a number of ten digits. */
const longestName = 52;

export const cronJob: Kind<CronJob> = specAndStatus<CronJob>({
  name: (name) => [
    ...dnsSubdomain(name),
    ...(name.length > longestName ? [`must be no more than ${longestName} characters`] : []),
  ],
  default(object) {
    const { spec } = object;
    const template = (spec.jobTemplate ??= {});
    template.metadata ??= {};
    defaultTemplate(((template.spec ??= { template: {} }).template ??= {}));
  },
  initialStatus: () => ({}),
  validate: specErrors,
  table: table<CronJob>([
    nameColumn,
    text("Schedule", ({ spec }) => spec.schedule),
    text("Timezone", ({ spec }) => spec.timeZone ?? "<none>"),
    {
      ...text<CronJob>("Suspend", ({ spec }) => (spec.suspend === true ? "True" : "False")),
      type: "boolean",
    },
    integer("Active", ({ status }) => status?.active?.length),
    text("Last Schedule", ({ status }, now) =>
      status?.lastScheduleTime === undefined ? "<none>" : ageOf(status.lastScheduleTime, now),
    ),
    ageColumn,
    wide(containersColumn(({ spec }) => spec.jobTemplate.spec?.template)),
    wide(imagesColumn(({ spec }) => spec.jobTemplate.spec?.template)),
    wide(text("Selector", ({ spec }) => selectorText(spec.jobTemplate.spec?.selector))),
  ]),
});

function specErrors({ spec }: CronJob): FieldError[] {
  const template = spec.jobTemplate.spec ?? { template: {} };
  const path = "spec.jobTemplate.spec";
  return [
    ...scheduleErrors(spec.schedule, "spec.schedule"),
    ...(spec.timeZone === undefined ? [] : timeZoneErrors(spec.timeZone, "spec.timeZone")),
    ...jobSpecErrors(template, path),
    ...(template.selector === undefined
      ? []
      : [invalid(`${path}.selector`, template.selector, "`selector` will be auto-generated")]),
    ...(template.manualSelector === true
      ? [notSupported(`${path}.manualSelector`, true, ["nil", "false"])]
      : []),
  ];
}

function scheduleErrors(schedule: string | undefined, field: string): FieldError[] {
  if (!schedule) return [required(field)];
  if (schedule.includes("TZ")) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [invalid(field, schedule, detail)];
  }
  try {
    parseSchedule(schedule);
    return [];
  } catch (error) {
    if (error instanceof ScheduleError) return [invalid(field, schedule, error.message)];
    throw error;
  }
}

function timeZoneErrors(zone: string, field: string): FieldError[] {
  if (zone === "") return [invalid(field, zone, "timeZone must be nil or non-empty string")];
  if (zone.toLowerCase() === "local") {
    const where = "https://www.iana.org/time-zones";
    const detail = `timeZone must be an explicit time zone as defined in ${where}`;
    return [invalid(field, zone, detail)];
  }
  return isTimeZone(zone) ? [] : [invalid(field, zone, `unknown time zone ${zone}`)];
}

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone }).format();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
