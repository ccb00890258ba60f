import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type Family, families } from "../../../base/net/family.ts";
import { planRoutes, type RouteMode, type Surroundings } from "./plan.ts";
import { peer, surroundings } from "./testing/routes.ts";

const both = ["10.244.1.0/24", "fd00:244:1::/64"];
const dual = ["192.0.2.1/24", "2001:db8::1/64"];

function told(peers: Parameters<typeof planRoutes>[0], own: Surroundings) {
  const { routes, tunnels, problems } = planRoutes(peers, own);
  return {
    routes: routes.map(({ destination, gateway, link }) => `${destination} ${gateway} ${link}`),
    tunnels: tunnels.map(
      ({ link, mtu, ends }) => `${link} ${mtu} ${ends.map((e) => e.remote).join()}`,
    ),
    problems: problems.length,
  };
}

describe("[NODE-3] ways to other nodes' pods", () => {
  test("by the shared link, each family by its own gateway", () => {
    const plan = told([peer("other", ["192.0.2.2", "2001:db8::2"], both)], surroundings(dual));
    assert.deepEqual(plan, {
      routes: ["10.244.1.0/24 192.0.2.2 eth0", "fd00:244:1::/64 2001:db8::2 eth0"],
      tunnels: [],
      problems: 0,
    });
  });

  test("IPv4 pods by an IPv6 gateway, where nodes share only that", () => {
    const plan = told([peer("other", ["2001:db8::2"], both)], surroundings(["2001:db8::1/64"]));
    assert.deepEqual(plan.routes, [
      "10.244.1.0/24 2001:db8::2 eth0",
      "fd00:244:1::/64 2001:db8::2 eth0",
    ]);
  });

  test("IPv6 pods cannot go by an IPv4 gateway, but by a tunnel", () => {
    const others = [peer("other", ["192.0.2.2"], both)];
    const direct = told(others, surroundings(["192.0.2.1/24"]));
    assert.deepEqual([direct.routes.length, direct.problems], [1, 1]);
    const auto = told(others, surroundings(["192.0.2.1/24"], { mode: "auto" }));
    assert.deepEqual([auto.routes.length, auto.problems], [2, 0]);
    assert.match(auto.routes[1] ?? "", /^fd00:244:1::\/64 fe80::.* tandem\.ipv4$/);
  });

  test("a node behind a router is reached by a tunnel, and not directly", () => {
    const far = [peer("far", ["198.51.100.2"], both)];
    assert.equal(told(far, surroundings(dual)).problems, 2);
    const { tunnels } = told(far, surroundings(dual, { mode: "auto" }));
    assert.deepEqual(tunnels, ["tandem.ipv4 1450 198.51.100.2"]);
  });

  test("[MODEL-2] where pods are reached by a tunnel, pods reach the node itself by it as well", () => {
    const ways = (peers: Parameters<typeof planRoutes>[0], own: Surroundings) => {
      const { podRoutes, podSources } = planRoutes(peers, own);
      const routes = podRoutes.map(({ destination, link }) => `${destination} ${link}`);
      return { routes, sources: podSources.map(String) };
    };
    const mode = "auto";
    assert.deepEqual(ways([peer("far", ["198.51.100.2"], both)], surroundings(dual, { mode })), {
      routes: ["198.51.100.2/32 tandem.ipv4"],
      sources: ["10.244.0.0/24"],
    });
    const far = [peer("far", ["2001:db8:1::2", "198.51.100.2"], both)];
    assert.deepEqual(ways(far, surroundings(dual, { mode })), {
      routes: ["198.51.100.2/32 tandem.ipv4", "2001:db8:1::2/128 tandem.ipv4"],
      sources: ["10.244.0.0/24", "fd00:244::/64"],
    });
    const near = [peer("near", ["192.0.2.2"], ["10.244.1.0/24"])];
    assert.deepEqual(ways(near, surroundings(dual, { mode })), { routes: [], sources: [] });
  });

  test("tunnels over IPv6 leave less room, and never less than 1280", () => {
    const far = [peer("far", ["2001:db8:1::2"], both)];
    const own = surroundings(["2001:db8::1/64"], { mode: "vxlan" });
    assert.deepEqual(told(far, own).tunnels, ["tandem.ipv6 1430 2001:db8:1::2"]);
    const narrow = { ...own, places: own.places.map((place) => ({ ...place, mtu: 1300 })) };
    assert.deepEqual(told(far, narrow).tunnels, ["tandem.ipv6 1280 2001:db8:1::2"]);
  });

  test("none when somebody else routes", () => {
    const others = [peer("other", ["192.0.2.2"], both)];
    assert.deepEqual(told(others, surroundings(dual, { mode: "none" })).routes, []);
  });

  test("whatever the families, each CIDR has one way or one reason, and a way is a shared one", () => {
    const some = fc.uniqueArray(fc.constantFrom<Family>(...families), { minLength: 1 });
    const modes = fc.constantFrom<RouteMode>("direct", "vxlan", "auto");
    fc.assert(
      fc.property(some, some, modes, (ours, theirs, mode) => {
        const own = surroundings(
          dual.filter((_, index) => ours.includes(at(index))),
          { mode },
        );
        const addresses = ["192.0.2.2", "2001:db8::2"].filter((_, i) => theirs.includes(at(i)));
        const { routes, problems } = planRoutes([peer("other", addresses, both)], own);
        assert.equal(routes.length + problems.length, both.length);
        for (const { gateway, destination } of routes) {
          assert.ok(gateway.family === destination.family || gateway.family === "IPv6");
        }
        if (ours.some((family) => theirs.includes(family)) && mode !== "direct") {
          assert.deepEqual(problems, []);
        }
      }),
    );
  });
});

function at(index: number): Family {
  return families[index] ?? "IPv4";
}
