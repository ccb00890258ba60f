// What the texts of the agent's options amount to.
import type { Taint } from "../../api/types/core.ts";
import { UsageError } from "../../base/program/errors.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

export function parseLabels(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [key = "", value, ...more] = text.split("=");
      if (key !== "" && value !== undefined && more.length === 0) return [key, value];
      throw new UsageError(`Cannot use --node-labels "${text}": it is not KEY=VALUE`);
    }),
  );
}

export function parseTaints(texts: readonly string[]): readonly Taint[] {
  return texts.map((text) => {
    const [, key = "", value, word = ""] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
    const effect = effects.find((known) => known === word);
    if (effect !== undefined) return { key, effect, ...(value !== undefined && { value }) };
    const state = `it is not KEY[=VALUE]:EFFECT with one of ${effects.join(", ")}`;
    throw new UsageError(`Cannot use --register-with-taints "${text}": ${state}`);
  });
}
