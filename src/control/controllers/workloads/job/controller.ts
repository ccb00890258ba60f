// Runs the pods of jobs until enough of them have succeeded, or too many have failed.

import { type Again, Controller } from "../../../../api/client/controller.ts";
import { isNotFound } from "../../../../api/client/errors.ts";
import { byNamespace, type Index } from "../../../../api/client/informer.ts";
import { keyOf } from "../../../../api/client/objects.ts";
import type { ResourceClient } from "../../../../api/client/resource-client.ts";
import { compileLabelSelector } from "../../../../api/selectors/label-selector.ts";
import type { Job } from "../../../../api/types/batch.ts";
import type { Pod } from "../../../../api/types/core.ts";
import type { ControllerContext } from "../../context.ts";
import { againIn } from "../again.ts";
import { Children } from "../children.ts";
import { carryOutClaim } from "../claiming.ts";
import { controllerKeys, ownerKeys } from "../owner-keys.ts";
import { byController, claim, controllerOf, orphansIn } from "../ownership.ts";
import { PodControl, throwFailure } from "../pods/pod-control.ts";
import { sharedPods } from "../shared-pods.ts";
import { eachOf, type SlowStartResult } from "../slow-start.ts";
import { isFinishedJob, type JobPlan, planJob } from "./plan.ts";
import { isTracked, jobPod, trackingFinalizer } from "./pods.ts";

const ourselves = "kubernetes.io/job-controller";
const byKey: Index<Job> = (job) => [keyOf(job)];
/** Indexes pods that wait to be counted by the key of their job, whether or not it exists. */
const byTrackingJob: Index<Pod> = (pod) => (isTracked(pod) ? controllerKeys(pod, "Job") : []);

export function jobController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const resource = client.resource("batch/v1", "Job");
  const informer = informers.of(resource, { indexes: [byNamespace] });
  const jobs = new Children({ resource, informer, clock }, [byKey]);
  const podInformer = informers.of(client.resource("v1", "Pod"), { indexes: [byTrackingJob] });
  const pods = context.shared(sharedPods);
  const trackedPods = (key: string) => podInformer.by(byTrackingJob, key);
  const work = new JobWork({ ...context, resource, jobs, pods, trackedPods });
  return new Controller({
    ...context,
    sources: [informer, podInformer.mapped(ownerKeys(informer, { kind: "Job", isMeant }))],
    concurrency: 5,
    reconcile: (key, signal) => work.reconcile(key, signal),
  });
}

interface JobWorkOptions extends Pick<ControllerContext, "clock" | "random" | "recorder"> {
  readonly resource: ResourceClient<Job>;
  readonly jobs: Children<Job>;
  readonly pods: Children<Pod>;
  readonly trackedPods: (jobKey: string) => readonly Pod[];
}

class JobWork {
  readonly #options: JobWorkOptions;
  readonly #control: PodControl;

  constructor(options: JobWorkOptions) {
    this.#options = options;
    this.#control = new PodControl(options.pods, options.recorder);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Again | void> {
    const { jobs, pods, resource, clock } = this.#options;
    await jobs.settle(byKey, key, signal);
    const job = jobs.get(key);
    await this.#releaseStrays(key, job, signal);
    if (job === undefined) return undefined;
    if ((job.spec.managedBy ?? ourselves) !== ourselves) return undefined;
    const { uid = "", namespace } = job.metadata;
    await pods.settle(byController, uid, signal);
    const candidates = [
      ...pods.by(byController, uid),
      ...pods.by(byController, orphansIn(namespace)),
    ];
    const ours = claim(job, candidates, (pod) => isMeant(job, pod));
    const finalizer = trackingFinalizer;
    const claiming = { owners: resource, children: pods, finalizer, signal };
    if (!(await carryOutClaim(job, ours, claiming))) return undefined;
    const kept = ours.kept.map((pod) => pods.get(keyOf(pod)) ?? pod);
    const plan = planJob(job, kept, clock.now());
    await this.#carryOut(job, plan, signal);
    const expires = isFinishedJob(job) ? expiresIn(job, clock.now()) : undefined;
    if (expires === 0) {
      const { resourceVersion = "" } = job.metadata;
      const preconditions = { uid, resourceVersion };
      await jobs.delete(job, { propagationPolicy: "Foreground", preconditions, signal });
      return undefined;
    }
    return againIn(expires, plan.againInMs, pods.patience(byController, uid));
  }

  async #carryOut(job: Job, plan: JobPlan, signal: AbortSignal): Promise<void> {
    const { jobs, random, recorder } = this.#options;
    if (plan.status !== undefined) {
      await jobs.updateStatus({ ...job, status: plan.status }, signal);
      for (const remark of plan.remarks) recorder.record(job, remark);
    }
    throwFailure(await this.#release(plan.release, signal));
    throwFailure(await this.#release(plan.dismiss, signal));
    const { pods } = this.#options;
    const ending = [...plan.dismiss, ...plan.remove].map((pod) => pods.get(keyOf(pod)) ?? pod);
    throwFailure(await this.#control.delete(job, ending, signal));
    const drafts = plan.create.map((wanted) => jobPod(job, { ...wanted, random }));
    throwFailure(await this.#control.create(job, drafts, signal));
  }

  async #release(released: readonly Pod[], signal: AbortSignal): Promise<SlowStartResult> {
    return await eachOf(released, async (given) => {
      const pod = this.#options.pods.get(keyOf(given)) ?? given;
      if (pod.metadata.uid !== given.metadata.uid || !isTracked(pod)) return;
      const finalizers = (pod.metadata.finalizers ?? []).filter(
        (each) => each !== trackingFinalizer,
      );
      try {
        await this.#options.pods.patchMetadata(pod, { finalizers }, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
  }

  /**
   * Removes the finalizer from pods of a job that is gone, or was created anew, since nothing counts them.
   */
  async #releaseStrays(key: string, job: Job | undefined, signal: AbortSignal): Promise<void> {
    const strays = this.#options
      .trackedPods(key)
      .filter((pod) => controllerOf(pod)?.uid !== job?.metadata.uid);
    throwFailure(await this.#release(strays, signal));
  }
}

function isMeant({ spec }: Job, pod: Pod): boolean {
  return compileLabelSelector(spec.selector).matches(pod);
}

/** Returns how long a finished job is still kept; `undefined` if for good. */
function expiresIn({ spec, status }: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = spec;
  const end = (status?.conditions ?? []).find(
    (each) => (each.type === "Complete" || each.type === "Failed") && each.status === "True",
  );
  if (seconds === undefined || end?.lastTransitionTime === undefined) return undefined;
  return Math.max(0, Date.parse(end.lastTransitionTime) + 1000 * seconds - now);
}
