import assert from "node:assert/strict";
import { test } from "node:test";
import type { Route } from "../../../base/host/ip.ts";
import { Address } from "../../../base/net/address.ts";
import { Prefix } from "../../../base/net/prefix.ts";
import { type Present, routeChanges } from "./changes.ts";
import { planRoutes } from "./plan.ts";
import { peer, surroundings } from "./testing/routes.ts";

const nothing: Present = {
  routes: [],
  podRoutes: [],
  podSources: [],
  links: [],
  tunnels: [],
  neighbours: [],
  forwarding: [],
};
const noRules = { IPv4: [], IPv6: [] };
const other = peer("other", ["192.0.2.2"], ["10.244.1.0/24"]);
const own = surroundings(["192.0.2.1/24"]);

function route(destination: string, gateway: string, protocol = "84"): Route {
  return {
    type: "unicast",
    destination: Prefix.parse(destination),
    nextHops: [{ link: "eth0", gateway: Address.parse(gateway) }],
    protocol,
  };
}

test("what is right already stays", () => {
  const present = { ...nothing, routes: [route("10.244.1.0/24", "192.0.2.2")] };
  const changes = routeChanges(planRoutes([other], own), present);
  assert.deepEqual(changes, { links: [], forwarding: [], routes: [], rules: noRules });
});

test("what is ours and no longer wanted goes; others' routes are not looked at", () => {
  const routes = [route("10.244.9.0/24", "192.0.2.9"), route("10.0.0.0/8", "192.0.2.9", "static")];
  assert.deepEqual(routeChanges(planRoutes([other], own), { ...nothing, routes }).routes, [
    "route del 10.244.9.0/24 proto 84",
    "route replace 10.244.1.0/24 via 192.0.2.2 dev eth0 proto 84",
  ]);
});

test("a tunnel is made with everything that leads to its ends, and goes with the last of them", () => {
  const plan = planRoutes([other], { ...own, mode: "vxlan" });
  const [tunnel] = plan.tunnels;
  assert.ok(tunnel);
  const [end] = tunnel.ends;
  assert.deepEqual(routeChanges(plan, nothing), {
    links: [
      `link add tandem.ipv4 address ${tunnel.mac} type vxlan id 84 local 192.0.2.1 dstport 4789 nolearning`,
      "link set tandem.ipv4 mtu 1450 up",
      "address replace 10.244.0.1/32 dev tandem.ipv4",
      "address replace fd00:244::1/128 dev tandem.ipv4 nodad",
    ],
    forwarding: [`fdb replace ${end?.mac} dev tandem.ipv4 dst 192.0.2.2 self permanent`],
    routes: [
      `neighbour replace ${end?.gateway} lladdr ${end?.mac} dev tandem.ipv4 nud permanent`,
      `route replace 10.244.1.0/24 via inet6 ${end?.gateway} dev tandem.ipv4 proto 84`,
      `route replace 192.0.2.2/32 via inet6 ${end?.gateway} dev tandem.ipv4 proto 84 table 84`,
    ],
    rules: { IPv4: ["rule add from 10.244.0.0/24 lookup 84 priority 8400"], IPv6: [] },
  });
  const links = ["tandem.ipv4", "tandem0"].map((name, index) => ({
    index,
    name,
    kind: "vxlan",
    mtu: 1450,
    up: true,
    running: true,
  }));
  const [way, podWay] = [plan.routes[0], plan.podRoutes[0]].map((wanted) => ({
    type: "unicast",
    destination: wanted?.destination ?? Prefix.parse("::/0"),
    nextHops: [{ link: "tandem.ipv4", gateway: wanted?.gateway ?? Address.parse("::") }],
    protocol: "84",
  }));
  assert.ok(way && podWay);
  const podSources = [Prefix.parse("10.244.0.0/24")];
  const there = { ...nothing, links, routes: [way], podRoutes: [podWay], podSources };
  const without = routeChanges(planRoutes([], own), there);
  assert.deepEqual(without.links, ["link delete tandem.ipv4"]);
  assert.deepEqual(without.routes, [], "routes go with their device");
  assert.deepEqual(without.rules, {
    IPv4: ["rule del from 10.244.0.0/24 lookup 84 priority 8400"],
    IPv6: [],
  });
  const again = routeChanges(plan, there);
  assert.deepEqual(
    [again.routes.length, again.rules],
    [1, noRules],
    "only the neighbour is missing",
  );
});

test("a tunnel of another underlay address is made anew", () => {
  const plan = planRoutes([other], { ...own, mode: "vxlan" });
  const mac = plan.tunnels[0]?.mac ?? "";
  const link = { index: 9, name: "tandem.ipv4", mtu: 1450, mac, up: true, running: true };
  const wanted = ["10.244.0.1", "fd00:244::1"];
  const present = (local: string, addresses = wanted) => ({
    ...nothing,
    links: [link],
    tunnels: [{ link: link.name, local, addresses: addresses.map(Address.parse) }],
  });
  assert.deepEqual(routeChanges(plan, present("192.0.2.1")).links, []);
  assert.equal(routeChanges(plan, present("192.0.2.7")).links[0], "link delete tandem.ipv4");
  const older = present("192.0.2.1", ["10.244.0.1", "fd00:244::"]);
  assert.deepEqual(
    routeChanges(plan, older).links,
    [
      "link set tandem.ipv4 mtu 1450 up",
      "address del fd00:244::/128 dev tandem.ipv4",
      "address replace fd00:244::1/128 dev tandem.ipv4 nodad",
    ],
    "an address of old is exchanged",
  );
});
