// Creates the jobs of CronJobs at their times.

import { type Again, Controller } from "../../../../api/client/controller.ts";
import { isAlreadyExists } from "../../../../api/client/errors.ts";
import type { EventRecorder, Remark } from "../../../../api/client/events.ts";
import type { Index } from "../../../../api/client/informer.ts";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import { timestamp } from "../../../../api/fields/timestamp.ts";
import type { CronJob, CronJobStatus, Job } from "../../../../api/types/batch.ts";
import type { Clock } from "../../../../base/host/clock.ts";
import { describeError } from "../../../../base/program/errors.ts";
import type { ControllerContext } from "../../context.ts";
import { againIn } from "../again.ts";
import { Children } from "../children.ts";
import { controllerKeys } from "../owner-keys.ts";
import { byController, isControlledBy, placeOf } from "../ownership.ts";
import { isNamespaceEnding } from "../pods/pod-control.ts";
import { newJob } from "./new-job.ts";
import { planCronJob, referenceToJob } from "./plan.ts";

const byKey: Index<CronJob> = (cronJob) => [keyOf(cronJob)];

export function cronJobController(context: ControllerContext): Controller {
  const { client, informers, clock, recorder } = context;
  const resource = client.resource("batch/v1", "CronJob");
  const informer = informers.of(resource);
  const cronJobs = new Children({ resource, informer, clock }, [byKey]);
  const jobResource = client.resource("batch/v1", "Job");
  const jobInformer = informers.of(jobResource);
  const jobs = new Children({ resource: jobResource, informer: jobInformer, clock }, [
    byController,
  ]);
  const work = new CronWork({ cronJobs, jobs, jobResource, recorder, clock });
  return new Controller({
    ...context,
    sources: [informer, jobInformer.mapped((job) => controllerKeys(job, "CronJob"))],
    concurrency: 5,
    reconcile: (key, signal) => work.reconcile(key, signal),
  });
}

interface CronWorkOptions {
  readonly cronJobs: Children<CronJob>;
  readonly jobs: Children<Job>;
  readonly jobResource: ResourceClient<Job>;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
}

class CronWork {
  readonly #options: CronWorkOptions;

  constructor(options: CronWorkOptions) {
    this.#options = options;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { cronJobs, jobs, recorder, clock } = this.#options;
    await cronJobs.settle(byKey, key, signal);
    const cronJob = cronJobs.get(key);
    if (cronJob === undefined) return undefined;
    const { uid = "" } = cronJob.metadata;
    await jobs.settle(byController, uid, signal);
    const plan = planCronJob(cronJob, jobs.by(byController, uid), clock.now());
    for (const remark of plan.remarks) recorder.record(cronJob, remark);
    for (const job of plan.remove) {
      await jobs.delete(job, { propagationPolicy: "Background", signal });
      this.#tell(cronJob, "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
    }
    const started = await this.#start(cronJob, plan.start, signal);
    if (started !== undefined || plan.isStatusNew) {
      const status = { ...plan.status, ...addition(plan.status, started) };
      await cronJobs.updateStatus({ ...cronJob, status }, signal);
    }
    return againIn(plan.againInMs, jobs.patience(byController, uid));
  }

  async #start(
    cronJob: CronJob,
    time: number | undefined,
    signal: AbortSignal,
  ): Promise<Started | undefined> {
    if (time === undefined) return undefined;
    const draft = newJob(cronJob, time);
    const { jobs, jobResource, recorder } = this.#options;
    try {
      const job = await jobs.create(draft, signal);
      this.#tell(cronJob, "SuccessfulCreate", `Created job ${job.metadata.name}`);
      return { job, time };
    } catch (error) {
      if (isNamespaceEnding(error)) return undefined;
      // The job was created before, but the status was not written: it counts all the same.
      if (isAlreadyExists(error)) {
        const job = await jobResource.get(placeOf(draft as Job), { signal });
        if (isControlledBy(job, cronJob)) return { job, time };
      }
      const message = `Error creating job: ${describeError(error)}`;
      recorder.record(cronJob, { type: "Warning", reason: "FailedCreate", message });
      throw error;
    }
  }

  #tell(cronJob: CronJob, reason: string, message: string): void {
    const remark: Remark = { type: "Normal", reason, message };
    this.#options.recorder.record(cronJob, remark);
  }
}

interface Started {
  readonly job: Job;
  readonly time: number;
}

function addition({ active = [] }: CronJobStatus, started: Started | undefined): CronJobStatus {
  if (started === undefined) return {};
  const { job, time } = started;
  const isThere = active.some(({ uid }) => uid === job.metadata.uid);
  return {
    active: isThere ? active : [...active, referenceToJob(job)],
    lastScheduleTime: timestamp(time),
  };
}
