// The errors of requests, each with its HTTP status.

import type { KubeKey } from "./clusters/cluster.ts";

const statuses = {
  Invalid: 400,
  Unauthorized: 401,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  PreconditionFailed: 412,
  TooLarge: 413,
} as const;

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly reason: keyof typeof statuses;
  readonly status: number;
  /** The problems, when there are several. */
  readonly problems: readonly string[];

  constructor(
    reason: keyof typeof statuses,
    problems: string | readonly string[],
    cause?: unknown,
  ) {
    const list = typeof problems === "string" ? [problems] : problems;
    super(list.join("; "), cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = statuses[reason];
    this.problems = list;
  }
}

export function notFound(id: string): ServiceError {
  return new ServiceError("NotFound", `cluster ${id} was not found`);
}

export function changedMeanwhile(id: string, generation: number): ServiceError {
  const state = `its generation is not ${generation} any more`;
  return new ServiceError("PreconditionFailed", `Cannot change cluster ${id}: ${state}`);
}

export function keptElsewhere(id: string, { namespace, name }: KubeKey): ServiceError {
  const object = `AgentClusterInstall ${namespace}/${name}`;
  return new ServiceError(
    "Conflict",
    `Cannot change cluster ${id}: it is kept in step with ${object}; change that instead`,
  );
}

export function isChangedMeanwhile(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === "PreconditionFailed";
}
