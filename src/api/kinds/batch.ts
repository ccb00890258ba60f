// Rules of Jobs and CronJobs that other parts need: the schedule of a CronJob.

export { type Interval, parseSchedule, type Schedule, ScheduleError } from "./batch/schedule.ts";
