import type { Family } from "../../base/net/family.ts";
import { echoImage, type Outside } from "../../inspect/check/check.ts";
import type { ConnectOptions } from "../connect/connect.ts";

export type CheckOptions = CheckSettings & ConnectOptions;

export interface CheckSettings {
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

/** The settings of a check that was asked for without any. */
export const usualCheck: CheckSettings = {
  namespace: undefined,
  image: echoImage,
  nodes: undefined,
  family: undefined,
  outside: [],
  loadBalancer: false,
  ingressClass: undefined,
  fromHere: false,
  hostPort: 28_080,
  keep: false,
  timeout: 60_000,
  answerTimeout: 2_000,
};
