import type { Family } from "../../base/net/family.ts";
import type { Outside } from "../../inspect/check/check.ts";
import type { ConnectOptions } from "../connect/connect.ts";

export interface CheckOptions extends ConnectOptions {
  readonly namespace: string | undefined;
  readonly image: string;
  readonly nodes: readonly string[] | undefined;
  readonly family: readonly Family[] | undefined;
  readonly outside: readonly Outside[];
  readonly loadBalancer: boolean;
  readonly ingressClass: string | undefined;
  readonly fromHere: boolean;
  readonly hostPort: number;
  readonly keep: boolean;
  readonly timeout: number;
  readonly answerTimeout: number;
}
