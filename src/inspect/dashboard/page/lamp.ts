import { type ComponentChildren, h } from "preact";
import { type Family, families } from "../../../base/net/family.ts";
import { type Lamp, type LampPair, signs } from "../model/lamps.ts";

/** A lamp with its family and its reason: sign and words say what the colour says. */
export function lamp(family: Family, { state, why }: Lamp): ComponentChildren {
  const title = `${family} ${state}: ${why}`;
  return h(
    "span",
    { class: `lamp ${state}`, title },
    h("span", { "aria-hidden": "true" }, signs[state]),
    h("span", { class: "sr" }, `${family} ${state}: `),
    h("span", { class: "why" }, why),
  );
}

/** Both lamps of an object, side by side. */
export function lampPair(lamps: LampPair): ComponentChildren {
  return h(
    "div",
    { class: "pair" },
    families.map((family) =>
      h("div", { key: family }, h("b", null, `${family} `), lamp(family, lamps[family])),
    ),
  );
}
