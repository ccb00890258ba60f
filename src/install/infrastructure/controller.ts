import type { Client } from "../../api/client/client.ts";
import { Controller } from "../../api/client/controller.ts";
import type { EventRecorder } from "../../api/client/events.ts";
import type { InformerSettings, Informers } from "../../api/client/informer.ts";
import { fieldErrorText } from "../../api/fields/field-error-text.ts";
import { sameJson } from "../../base/json/value.ts";
import { decide } from "./decide.ts";
import { type Infrastructure, infrastructures } from "./object.ts";

export interface InfrastructureControllerOptions extends InformerSettings {
  readonly client: Client;
  readonly informers: Informers;
  readonly recorder: EventRecorder;
}

/** Keeps Infrastructure objects in step with themselves; see `decide`. */
export function infrastructureController(options: InfrastructureControllerOptions): Controller {
  const { client, informers, recorder, log, clock, random, metrics } = options;
  const resource = client.custom<Infrastructure>(infrastructures);
  const informer = informers.of(resource);
  return new Controller({
    name: "infrastructure",
    sources: [informer],
    log,
    clock,
    random,
    metrics,
    async reconcile(key, signal) {
      const object = informer.get(key);
      if (object === undefined) return;
      const { desired, warnings, refused } = decide(object, new Date(clock.now()));
      for (const message of warnings) {
        log.warn(message, { infrastructure: key });
        recorder.record(object, { type: "Warning", reason: "VIPsDiffer", message });
      }
      // The status has a resource version of the spec's making.
      const written = isSame(object.spec, desired.spec)
        ? object
        : await resource.update({ ...object, ...specOf(desired) }, { signal });
      if (isSame(object.status, desired.status)) return;
      for (const error of refused) {
        const message = fieldErrorText(error);
        recorder.record(object, { type: "Warning", reason: "SpecRefused", message });
      }
      await resource.updateStatus({ ...written, ...statusOf(desired) }, { signal });
    },
  });
}

function specOf({ spec }: Infrastructure): Pick<Infrastructure, "spec"> {
  return spec === undefined ? {} : { spec };
}

function statusOf({ status }: Infrastructure): Pick<Infrastructure, "status"> {
  return status === undefined ? {} : { status };
}

function isSame(one: object | undefined, other: object | undefined): boolean {
  return sameJson(one ?? null, other ?? null);
}
