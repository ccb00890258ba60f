import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SelectorIndex } from "./selector-index.ts";

type Labels = Record<string, string>;

const labels = fc.dictionary(fc.constantFrom("app", "tier", "track"), fc.constantFrom("x", "y"), {
  noNullPrototype: true,
});
const step = fc.record({
  kind: fc.constantFrom("pod", "service"),
  name: fc.constantFrom("a", "b", "c", "d"),
  namespace: fc.constantFrom("one", "two"),
  labels: fc.option(labels),
});

test("[EP-6] whatever comes and goes, the index finds what a search through everything finds", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const index = new SelectorIndex();
      const all = { pod: new Map<string, Labels>(), service: new Map<string, Labels>() };
      for (const { kind, name, namespace, labels: given } of steps) {
        const key = `${namespace}/${name}`;
        if (given === null) all[kind].delete(key);
        else all[kind].set(key, given);
        if (kind === "pod") {
          if (given === null) index.removePod(key);
          else index.putPod(key, namespace, given);
        } else if (given === null) index.removeService(key);
        else index.putService(key, namespace, given);
      }
      for (const [service, selector] of all.service) {
        const found = [...all.pod].filter(([pod, own]) => selects(service, selector, pod, own));
        assert.deepEqual(
          [...index.podsOf(service)].toSorted(),
          found.map(([pod]) => pod).toSorted(),
        );
      }
      for (const [pod, own] of all.pod) {
        const found = [...all.service].filter(([key, selector]) =>
          selects(key, selector, pod, own),
        );
        assert.deepEqual(index.servicesOf(pod).toSorted(), found.map(([key]) => key).toSorted());
      }
    }),
    { numRuns: 500 },
  );
});

function selects(service: string, selector: Labels, pod: string, own: Labels): boolean {
  const pairs = Object.entries(selector);
  return (
    pairs.length > 0 &&
    service.split("/")[0] === pod.split("/")[0] &&
    pairs.every(([key, value]) => own[key] === value)
  );
}
