// Checks of probes, and of hooks at the start and end of a container.

import type { FieldError } from "../../fields/field-error.ts";
import { forbidden, invalid, required } from "../../fields/field-errors.ts";
import { headerName } from "../../fields/names.ts";
import type {
  Container,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
} from "../../types/core.ts";
import { named, nonNegative, portNumberOrName } from "../checks.ts";

const probeNames = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

/** Checks probes and hooks of containers that keep running. */
export function handlerErrors(
  container: Pick<Container, "lifecycle" | (typeof probeNames)[number]>,
  path: string,
  graceSeconds: number,
): FieldError[] {
  return [
    ...lifecycleErrors(container.lifecycle, `${path}.lifecycle`, graceSeconds),
    ...probeNames.flatMap((name) => {
      const probe = container[name];
      return probe === undefined ? [] : probeErrors(probe, name, `${path}.${name}`);
    }),
  ];
}

/** Refuses probes and hooks on containers that run once. */
export function noHandlerErrors(container: Container, path: string): FieldError[] {
  const detail = "may not be set for init containers without restartPolicy=Always";
  return (["lifecycle", ...probeNames] as const)
    .filter((name) => container[name] !== undefined)
    .map((name) => forbidden(`${path}.${name}`, detail));
}

function probeErrors(probe: Probe, name: (typeof probeNames)[number], path: string): FieldError[] {
  const { terminationGracePeriodSeconds: grace, successThreshold } = probe;
  const graceField = `${path}.terminationGracePeriodSeconds`;
  const isReadiness = name === "readinessProbe";
  return [
    ...actionErrors(probe, path, 0),
    ...nonNegative(`${path}.initialDelaySeconds`, probe.initialDelaySeconds),
    ...nonNegative(`${path}.timeoutSeconds`, probe.timeoutSeconds),
    ...nonNegative(`${path}.periodSeconds`, probe.periodSeconds),
    ...nonNegative(`${path}.successThreshold`, successThreshold),
    ...nonNegative(`${path}.failureThreshold`, probe.failureThreshold),
    ...(grace !== undefined && grace <= 0
      ? [invalid(graceField, grace, "must be greater than 0")]
      : []),
    ...(isReadiness && grace !== undefined
      ? [invalid(graceField, grace, "must not be set for readinessProbes")]
      : []),
    ...(!isReadiness && successThreshold !== 1
      ? [invalid(`${path}.successThreshold`, successThreshold, "must be 1")]
      : []),
  ];
}

function lifecycleErrors(
  lifecycle: Lifecycle | undefined,
  path: string,
  graceSeconds: number,
): FieldError[] {
  return (["postStart", "preStop"] as const).flatMap((name) => {
    const hook = lifecycle?.[name];
    return hook === undefined ? [] : actionErrors(hook, `${path}.${name}`, graceSeconds);
  });
}

const actions = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

/** Checks that a handler has exactly one action, and that this action is valid. */
function actionErrors(
  handler: LifecycleHandler & Pick<Probe, "grpc">,
  path: string,
  graceSeconds: number,
): FieldError[] {
  const [first, ...others] = actions.filter((name) => handler[name] !== undefined);
  if (first === undefined) return [required(path, "must specify a handler type")];
  const detail = "may not specify more than 1 handler type";
  const field = `${path}.${first}`;
  const errors = others.map((name) => forbidden(`${path}.${name}`, detail));
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  switch (first) {
    case "exec":
      return [
        ...((exec?.command ?? []).length > 0 ? [] : [required(`${field}.command`)]),
        ...errors,
      ];
    case "httpGet":
      return [...(httpGet === undefined ? [] : httpErrors(httpGet, field)), ...errors];
    case "tcpSocket":
      return [...portNumberOrName(`${field}.port`, tcpSocket?.port), ...errors];
    case "grpc":
      return [...portNumberOrName(`${field}.port`, grpc?.port), ...errors];
    case "sleep": {
      const seconds = sleep?.seconds ?? 0;
      if (seconds >= 0 && seconds <= graceSeconds) return errors;
      const range = `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`;
      return [invalid(field, seconds, range), ...errors];
    }
  }
}

function httpErrors(action: HTTPGetAction, path: string): FieldError[] {
  const { httpHeaders = [] } = action;
  return [
    ...portNumberOrName(`${path}.port`, action.port),
    ...httpHeaders.flatMap(({ name }) => named(`${path}.httpHeaders`, name, headerName)),
  ];
}
