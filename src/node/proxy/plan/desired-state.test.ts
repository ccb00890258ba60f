import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Service } from "../../../api/types/core.ts";
import type { EndpointSlice } from "../../../api/types/discovery.ts";
import { type Family, families } from "../../../base/net/family.ts";
import type { DesiredState } from "./desired-state.ts";
import { endpointText, type Pool } from "./frontend.ts";
import { problemText } from "./problem.ts";
import { addressOf, openState, type Party, put, service, slices } from "./testing/scenario.ts";

const key = "shop/web";

describe("[PROXY-6] a change plans its own service anew, and tells what came of it", () => {
  const open = (): DesiredState => {
    const state = openState();
    put(state, [service(), ...slices(["a", "b"])]);
    put(state, [service({ name: "other", cluster: ["other"] }), ...slices(["c"], { of: "other" })]);
    state.takeChange();
    return state;
  };

  test("the same Service and slices again, with endpoints in another order, plan no change", () => {
    const state = open();
    assert(!state.isDirty);
    put(state, [service(), ...slices(["b", "a"])]);
    assert(state.isDirty);
    const { deltas } = state.takeChange();
    assert.deepEqual([deltas.IPv4.size, deltas.IPv6.size], [0, 0]);
  });

  test("an endpoint of one family changes nothing in the other", () => {
    const state = open();
    put(state, slices(["a", "d"], { families: ["IPv4"] }));
    const { deltas } = state.takeChange();
    assert.deepEqual([...deltas.IPv4.keys()], ["10.96.0.1 tcp 80"]);
    assert.deepEqual([...deltas.IPv6.keys()], []);
    const { before, after } = deltas.IPv4.get("10.96.0.1 tcp 80") ?? {};
    assert.equal(before?.pool[0], after?.pool[0], "the endpoint that stays keeps its place");
    assert.equal(after?.pool[1]?.address, "10.1.1.13");
  });

  test("a service that goes leaves nothing", () => {
    const state = open();
    state.setService(key, undefined);
    for (const family of families) {
      state.setSlice(key, `web-${family.toLowerCase()}`, undefined);
    }
    const { deltas } = state.takeChange();
    for (const family of families) {
      const changes = [...deltas[family].values()];
      assert.deepEqual(
        changes.map(({ after }) => after),
        [undefined],
      );
      assert.equal(state.tables[family].size, 1);
    }
  });

  test("slices may come before their service", () => {
    const state = openState();
    put(state, slices(["a"]));
    assert.equal(state.takeChange().deltas.IPv4.size, 0);
    put(state, [service()]);
    assert.equal(state.takeChange().deltas.IPv4.get("10.96.0.1 tcp 80")?.after?.pool.length, 1);
  });

  test("a node that moves to another zone plans everything", () => {
    const state = open();
    state.setContext({ ...state.context, node: { ...state.context.node, name: "there" } });
    const { deltas } = state.takeChange();
    assert.deepEqual([...deltas.IPv4.keys()], ["10.96.0.1 tcp 80"]);
  });
});

describe("[PROXY-5] what cannot be used is left out and named", () => {
  const problemsOf = (changed: Service): string[] => {
    const state = openState();
    put(state, [changed, ...slices(["a"])]);
    const { problems } = state.takeChange();
    assert(state.tables.IPv4.get("10.96.0.1 tcp 80") !== undefined, "the rest of it works");
    return (problems.get(key) ?? []).map(problemText);
  };
  const withSpec = (spec: Partial<Service["spec"]>): Service => {
    const base = service();
    return { ...base, spec: { ...base.spec, ...spec } };
  };

  test("addresses that are of no use", () => {
    const addresses = ["10.0.0.300", "127.0.0.1", "0.0.0.0", "fe80::1", "224.0.0.1"];
    assert.deepEqual(problemsOf(withSpec({ externalIPs: addresses })), [
      'Cannot use spec.externalIPs[0] "10.0.0.300": it is not an address',
      'Cannot use spec.externalIPs[1] "127.0.0.1": it is a loopback address',
      'Cannot use spec.externalIPs[2] "0.0.0.0": it stands for no address',
      'Cannot use spec.externalIPs[3] "fe80::1": it is a link-local address',
      'Cannot use spec.externalIPs[4] "224.0.0.1": it is a multicast address',
    ]);
  });

  test("addresses of a family that the service does not take", () => {
    assert.deepEqual(
      problemsOf(withSpec({ endpointFamily: "ipv4", externalIPs: ["2001:db8::1", "1.2.3.4"] })),
      ['Cannot use spec.externalIPs[0] "2001:db8::1": the service takes no IPv6'],
    );
  });

  test("ports outside of 1 to 65535 and unknown protocols are left out and named", () => {
    const ports = [
      { port: 80 },
      { name: "x", port: 70_000 },
      { name: "y", port: 1, protocol: "ICMP" as "TCP" },
      { name: "z", port: 2, nodePort: -1 },
    ];
    assert.deepEqual(problemsOf(withSpec({ ports })), [
      'Cannot use spec.ports[1].port "70000": it is not between 1 and 65535',
      'Cannot use spec.ports[2].protocol "ICMP": it is none of TCP, UDP and SCTP',
      'Cannot use spec.ports[3].nodePort "-1": it is not between 1 and 65535',
    ]);
  });

  test("source ranges, and what they leave closed", () => {
    const balanced = service({ lb: ["lb"], loadBalancerSourceRanges: [" 10.0.0.0/8 ", "all"] });
    assert.deepEqual(problemsOf(balanced), [
      'Cannot use spec.loadBalancerSourceRanges[1] "all": it is not a prefix',
      'Cannot use spec.loadBalancerSourceRanges "10.0.0.0/8": it has no IPv6 prefix, so that nobody is let in at the IPv6 address',
    ]);
  });

  test("an endpointFamily that nobody knows", () => {
    assert.deepEqual(problemsOf(withSpec({ endpointFamily: "both" as "ipv4" })), [
      'Cannot use spec.endpointFamily "both": it is none of ipv4, ipv6 and dual-stack',
    ]);
  });

  test("a place that is another's, until that one goes", () => {
    const state = openState();
    const external = { external: ["external"] } as const;
    put(state, [service({ ...external, since: "2026-02-01" }), ...slices(["a"])]);
    state.takeChange();
    put(state, [service({ ...external, name: "older", since: "2026-01-01", cluster: ["other"] })]);
    const place = `${addressOf("external", "IPv4").toString()} tcp 80`;
    const lost = state.takeChange();
    assert.equal(lost.deltas.IPv4.get(place)?.after?.owner, "shop/older:80");
    assert.deepEqual(lost.problems.get(key)?.map(problemText), [
      'Cannot use ExternalIP "198.51.100.9 tcp 80": it belongs to service shop/older',
      'Cannot use ExternalIP "2001:db8:100::9 tcp 80": it belongs to service shop/older',
    ]);
    state.setService("shop/older", undefined);
    const won = state.takeChange();
    assert.equal(won.deltas.IPv4.get(place)?.after?.owner, "shop/web:80");
    assert.deepEqual(won.problems.get(key), []);
  });
});

test("[PROXY-2] health checks count local backends, a pair of addresses once", () => {
  const state = openState();
  const ref = (party: Party) => ({ targetRef: { kind: "Pod", namespace: "shop", name: party } });
  const checked = service({
    lb: ["lb"],
    externalTrafficPolicy: "Local" as const,
    healthCheckNodePort: 31000,
  });
  put(state, [checked, ...slices({ a: ref("a"), d: ref("d"), b: ref("b") })]);
  assert.deepEqual(state.takeChange().healthChecks.get(key), {
    port: 31000,
    localBackends: { IPv4: 2, IPv6: 2 },
  });
  put(state, slices({ a: { ...ref("a"), conditions: { ready: false } }, b: ref("b") }));
  assert.deepEqual(state.takeChange().healthChecks.get(key), {
    port: 31000,
    localBackends: { IPv4: 0, IPv6: 0 },
  });
  put(state, [service({ ...checked.spec, lb: ["lb"], externalTrafficPolicy: "Cluster" })]);
  const { healthChecks } = state.takeChange();
  assert(healthChecks.has(key) && healthChecks.get(key) === undefined);
});

test("[EP-1] Endpoints with pairs are read like slices of both families", () => {
  const state = openState();
  put(state, [service()]);
  state.setEndpoints(key, {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "web", namespace: "shop" },
    subsets: [
      {
        addresses: [
          { ip: "10.1.0.1", ips: ["10.1.0.1", "fd00:1::1"], nodeName: "here" },
          { ip: "fd00:1::2" },
        ],
        notReadyAddresses: [{ ip: "10.1.0.3" }],
        ports: [{ port: 8080 }],
      },
    ],
  });
  state.takeChange();
  const pool = (family: Family) =>
    [...state.tables[family].all()].flatMap(([, frontend]) => frontend.pool.map(endpointText));
  assert.deepEqual(pool("IPv4"), ["10.1.0.1:8080"]);
  assert.deepEqual(pool("IPv6"), ["[fd00:1::1]:8080", "[fd00:1::2]:8080"]);
});

test("an endpoint that stands in two slices at once counts once, at its best", () => {
  const state = openState();
  put(state, [
    service(),
    ...slices({ a: { conditions: { ready: false } } }),
    ...slices(["a"], { suffix: "2-" }),
  ]);
  state.takeChange();
  assert.equal(state.tables.IPv4.get("10.96.0.1 tcp 80")?.pool.length, 1);
});

test("[PROXY-6] any sequence of changes comes to what the objects alone would give", () => {
  const parties: readonly Party[] = ["a", "b", "c", "d"];
  const names = ["one", "two", "three"] as const;
  const change = fc.oneof(
    fc.record({
      kind: fc.constant("service" as const),
      name: fc.constantFrom(...names),
      gone: fc.boolean(),
      external: fc.boolean(),
      policy: fc.constantFrom("Cluster", "Local"),
      endpointFamily: fc.constantFrom("ipv4", "ipv6", "dual-stack"),
    }),
    fc.record({
      kind: fc.constant("slices" as const),
      name: fc.constantFrom(...names),
      backends: fc.subarray([...parties]),
      gone: fc.boolean(),
    }),
  );
  const clusterOf = { one: "cluster", two: "other", three: "unused" } as const;
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const state = openState();
      const last = new Map<string, readonly (Service | EndpointSlice)[]>();
      for (const one of changes) {
        const objects =
          one.kind === "service"
            ? [
                service({
                  name: one.name,
                  cluster: [clusterOf[one.name]],
                  externalTrafficPolicy: one.policy,
                  endpointFamily: one.endpointFamily,
                  ...(one.external && { external: ["external"] }),
                }),
              ]
            : slices(one.backends, { of: one.name });
        if (one.gone) remove(state, objects);
        else put(state, objects);
        last.set(`${one.kind} ${one.name}`, one.gone ? [] : objects);
        if (one.kind === "slices") state.takeChange();
      }
      state.takeChange();
      const fresh = openState();
      put(fresh, [...last.values()].flat());
      fresh.takeChange();
      for (const family of families)
        assert.deepEqual(content(state, family), content(fresh, family));
    }),
  );
});

function remove(state: DesiredState, objects: readonly (Service | EndpointSlice)[]): void {
  for (const object of objects) {
    const { name, namespace, labels } = object.metadata;
    if (object.kind === "Service") state.setService(`${namespace}/${name}`, undefined);
    else state.setSlice(`${namespace}/${labels?.["kubernetes.io/service-name"]}`, name, undefined);
  }
}

/** Returns the frontends with sorted pools: only the order of endpoints depends on earlier states. */
function content(state: DesiredState, family: Family): Record<string, unknown> {
  const sorted = (pool: Pool | undefined) => pool?.map(endpointText).toSorted();
  const entries = [...state.tables[family].all()].map(([place, frontend]) => [
    place,
    { ...frontend, pool: sorted(frontend.pool), outsiders: sorted(frontend.outsiders) },
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
