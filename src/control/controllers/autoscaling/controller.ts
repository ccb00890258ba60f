// Scales workloads by what their pods use.

import { type Again, Controller } from "../../../api/client/controller.ts";
import { isConflict, isNotFound } from "../../../api/client/errors.ts";
import { byNamespace } from "../../../api/client/informer.ts";
import { timestamp } from "../../../api/fields/timestamp.ts";
import { rule } from "../../../api/kinds/rbac.ts";
import { parseLabelSelector } from "../../../api/selectors/label-selector.ts";
import type { Scale } from "../../../api/types/autoscaling.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerStatus,
} from "../../../api/types/autoscaling-v2.ts";
import { sameJson } from "../../../base/json/value.ts";
import { messageOf } from "../../../base/program/errors.ts";
import type { ControllerContext, ControllerEntry } from "../context.ts";
import { createServedResources } from "../served-resources.ts";
import { withCondition } from "../workloads/conditions.ts";
import { boundReplicas, type History, recentHistory } from "./behavior.ts";
import { judgeMetrics } from "./judge.ts";

/** How often an autoscaler looks at its metrics. */
const periodMs = 15_000;

type Condition = NonNullable<HorizontalPodAutoscalerStatus["conditions"]>[number];
type Conditions = readonly Omit<Condition, "lastTransitionTime">[];

export const autoscaling: ControllerEntry = {
  name: "autoscaling",
  rights: [
    // The scale of targets, which may be of any kind, is patched.
    rule("update", "autoscaling", "horizontalpodautoscalers/status"),
  ],
  create: autoscalingController,
};

function autoscalingController(context: ControllerContext): Controller {
  const { client, informers, recorder, clock } = context;
  const resource = client.resource("autoscaling/v2", "HorizontalPodAutoscaler");
  const autoscalers = informers.of(resource);
  const pods = informers.of(client.resource("v1", "Pod"), { indexes: [byNamespace] });
  const metrics = client.resource("metrics.k8s.io/v1beta1", "PodMetrics");
  const served = context.shared(createServedResources);
  const histories = new Map<string, History>();
  /** The last look at each autoscaler: changes of its status, which are our own, ask for no other. */
  const looks = new Map<string, { readonly at: number; readonly generation: number | undefined }>();

  /** Finds the client of the kind that is scaled, whatever version of its group the reference names. */
  const targetOf = async ({ spec }: HorizontalPodAutoscaler, signal: AbortSignal) => {
    const { apiVersion = "v1", kind } = spec.scaleTargetRef;
    const group = apiVersion.includes("/") ? apiVersion.split("/")[0] : "";
    const all = await served.all(signal);
    const found = all.find((each) => each.kind === kind && each.group === group);
    if (found === undefined) throw new Error(`no matches for kind "${kind}" in group "${group}"`);
    return client.custom(found);
  };

  const reconcile = async (key: string, signal: AbortSignal): Promise<Again | void> => {
    const autoscaler = autoscalers.get(key);
    if (autoscaler === undefined) {
      histories.delete(key);
      looks.delete(key);
      return;
    }
    const { generation } = autoscaler.metadata;
    const last = looks.get(key);
    const rest = (last?.at ?? -periodMs) + periodMs - clock.monotonic();
    if (last?.generation === generation && rest > 0) return { againInMs: rest };
    looks.set(key, { at: clock.monotonic(), generation });
    const again = { againInMs: periodMs };
    const { namespace } = autoscaler.metadata;
    const place = { namespace, name: autoscaler.spec.scaleTargetRef.name };
    try {
      const target = await targetOf(autoscaler, signal);
      const scale = await target.getScale(place, { signal });
      const rescale = async (replicas: number) => {
        await target.scale(place, replicas, { signal });
      };
      await look(key, autoscaler, { scale, rescale, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (isConflict(error)) return again;
      const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
      recorder.record(autoscaler, { type: "Warning", reason: "FailedGetScale", message });
      const conditions = [
        { type: "AbleToScale", status: "False", reason: "FailedGetScale", message },
      ];
      await tell(autoscaler, { conditions, status: {}, signal });
    }
    return again;
  };

  const look = async (
    key: string,
    autoscaler: HorizontalPodAutoscaler,
    options: {
      readonly scale: Scale;
      readonly rescale: (replicas: number) => Promise<void>;
      readonly signal: AbortSignal;
    },
  ): Promise<void> => {
    const { scale, rescale, signal } = options;
    const { spec, metadata } = autoscaler;
    const current = scale.spec?.replicas ?? 0;
    const got = {
      type: "AbleToScale",
      status: "True",
      reason: "SucceededGetScale",
      message: "the HPA controller was able to get the target's current scale",
    };
    if (current === 0 && (spec.minReplicas ?? 1) !== 0) {
      const message = "scaling is disabled since the replica count of the target is zero";
      const disabled = {
        type: "ScalingActive",
        status: "False",
        reason: "ScalingDisabled",
        message,
      };
      const status = { currentReplicas: 0, desiredReplicas: 0 };
      return tell(autoscaler, { conditions: [got, disabled], status, signal });
    }
    const labelSelector = scale.status?.selector ?? "";
    const selector = parseLabelSelector(labelSelector);
    const { items } = await metrics.listAll({
      namespace: metadata.namespace,
      labelSelector,
      signal,
    });
    const chosen = pods
      .by(byNamespace, metadata.namespace)
      .filter((pod) => selector.matchesLabels(pod.metadata.labels ?? {}));
    const judged = judgeMetrics({ autoscaler, replicas: current, pods: chosen, metrics: items });
    if (judged.problem !== undefined) {
      recorder.record(autoscaler, { type: "Warning", ...judged.problem });
    }
    if (judged.replicas === undefined) {
      const { reason, message } = judged.problem ?? { reason: "FailedGetMetrics", message: "" };
      const words = `the HPA was unable to compute the replica count: ${message}`;
      const inactive = { type: "ScalingActive", status: "False", reason, message: words };
      const status = {
        currentReplicas: current,
        desiredReplicas: autoscaler.status?.desiredReplicas ?? current,
      };
      return tell(autoscaler, { conditions: [got, inactive], status, signal });
    }
    const now = clock.now();
    const history = recentHistory(
      histories.get(key) ?? { recommendations: [], changes: [] },
      spec,
      now,
    );
    const bounded = boundReplicas({ spec, current, proposed: judged.replicas, history, now });
    const { replicas } = bounded;
    histories.set(key, {
      recommendations: [...history.recommendations, { at: now, replicas: judged.replicas }],
      changes:
        replicas === current
          ? history.changes
          : [...history.changes, { at: now, by: replicas - current }],
    });
    if (replicas !== current) {
      await rescale(replicas);
      const message = `New size: ${replicas}; reason: ${judged.cause}`;
      recorder.record(autoscaler, { type: "Normal", reason: "SuccessfulRescale", message });
    }
    const conditions = [
      ableCondition(replicas, current, bounded.isStabilized),
      {
        type: "ScalingActive",
        status: "True",
        reason: "ValidMetricFound",
        message: `the HPA was able to successfully calculate a replica count from ${judged.cause || "metrics"}`,
      },
      bounded.limit === undefined
        ? {
            type: "ScalingLimited",
            status: "False",
            reason: "DesiredWithinRange",
            message: "the desired count is within the acceptable range",
          }
        : { type: "ScalingLimited", status: "True", ...bounded.limit },
    ];
    const status = {
      currentReplicas: current,
      desiredReplicas: replicas,
      currentMetrics: [...judged.current],
      ...(replicas === current ? {} : { lastScaleTime: timestamp(now) }),
    };
    await tell(autoscaler, { conditions, status, signal });
  };

  const tell = async (
    autoscaler: HorizontalPodAutoscaler,
    news: {
      readonly conditions: Conditions;
      readonly status: Partial<HorizontalPodAutoscalerStatus>;
      readonly signal: AbortSignal;
    },
  ): Promise<void> => {
    const { generation } = autoscaler.metadata;
    let { conditions } = autoscaler.status ?? {};
    for (const each of news.conditions) {
      conditions = withCondition(conditions, each, timestamp(clock.now()));
    }
    const status = {
      desiredReplicas: 0,
      ...autoscaler.status,
      ...news.status,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      ...(conditions === undefined ? {} : { conditions }),
    };
    if (sameJson(status, autoscaler.status)) return;
    try {
      await resource.updateStatus({ ...autoscaler, status }, { signal: news.signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  };

  return new Controller({
    ...context,
    sources: [autoscalers],
    concurrency: 5,
    reconcile,
  });
}

function ableCondition(replicas: number, current: number, isStabilized: boolean) {
  const able = { type: "AbleToScale", status: "True" };
  if (replicas !== current) {
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    return { ...able, reason: "SucceededRescale", message };
  }
  return isStabilized
    ? {
        ...able,
        reason: "ScaleDownStabilized",
        message:
          "recent recommendations were higher than current one, applying the highest recent recommendation",
      }
    : { ...able, reason: "ReadyForNewScale", message: "recommended size matches current size" };
}
