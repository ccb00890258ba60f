// Parses the values of the agent's options.

import type { Taint } from "../../api/types/core.ts";
import { defined } from "../../base/json/defined.ts";
import { UsageError } from "../../base/program/errors.ts";
import { forbiddenLabels } from "../../control/apiserver/apiserver.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

export function parseLabels(texts: readonly string[]): Readonly<Record<string, string>> {
  const labels = Object.fromEntries(
    texts.map((text) => {
      const [key = "", value, ...more] = text.split("=");
      if (key !== "" && value !== undefined && more.length === 0) return [key, value];
      throw new UsageError(`Cannot use --node-labels "${text}": it is not KEY=VALUE`);
    }),
  );
  const [refused] = forbiddenLabels({}, labels);
  if (refused === undefined) return labels;
  throw new UsageError(
    `Cannot use --node-labels ${refused}: a node may not give itself this label`,
    {
      hint: "'kubectl label node NAME KEY=VALUE' does, as an administrator.",
    },
  );
}

export function parseTaints(texts: readonly string[]): readonly Taint[] {
  return texts.map((text) => {
    const [, key = "", value, word = ""] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
    const effect = effects.find((known) => known === word);
    if (effect !== undefined) return { key, effect, ...defined({ value }) };
    const state = `it is not KEY[=VALUE]:EFFECT with one of ${effects.join(", ")}`;
    throw new UsageError(`Cannot use --register-with-taints "${text}": ${state}`);
  });
}
