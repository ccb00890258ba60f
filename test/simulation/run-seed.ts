// One run: a cluster with some of the parts, a time of trouble, a time of quiet, and the checks.

import { Informers } from "../../src/api/client/informer.ts";
import { Announcers } from "./cluster/announcers.ts";
import { controllers, Leaders } from "./cluster/control.ts";
import { ipamCaller } from "./cluster/ipam.ts";
import { node } from "./cluster/nodes.ts";
import { operator } from "./cluster/operator.ts";
import { type Followed, storeUser } from "./cluster/store-users.ts";
import { Acknowledged, unlessLost, user } from "./cluster/users.ts";
import { checkAcknowledged, checkEndpoints, checkFollowed, checkInformer } from "./convergence.ts";
import { mount } from "./disk-functions.ts";
import { calm, makeTrouble } from "./faults.ts";
import { nothingPlanted, type Planted } from "./planted.ts";
import type { Process } from "./process.ts";
import { enter } from "./sealed.ts";
import { Simulation } from "./simulation.ts";
import { type Supervised, World } from "./world.ts";

/** The result of a run: without an error, no invariant was violated. */
export interface Outcome {
  readonly seed: number;
  readonly error: Error | undefined;
  readonly steps: number;
  /** A number that depends on all that was drawn: two runs of a seed have the same. */
  readonly fingerprint: number;
}

/** The time in which everything settles: elections, back-offs and hanging connections run out. */
const quietMs = { endpoints: 45_000, announcers: 20_000, informer: 25_000 };
/** The share of the runs without API servers. */
const storesAlone = 0.9;
/** The parts to choose from; announcers, which write every second, cost the most time. */
const parts = ["endpoints", "endpoints", "announcers", "informer", "informer"] as const;
/** The time at which a machine dies for good, before all is quiet. */
const deathMs = 5_000;
/** The time of quiet after which users write no more. */
const lastWritesMs = 5_000;

export async function runSeed(seed: number, planted: Planted = nothingPlanted): Promise<Outcome> {
  const simulation = new Simulation(seed);
  enter(simulation);
  let error: Error | undefined;
  try {
    await live(simulation, planted);
  } catch (thrown) {
    error = thrown as Error;
  } finally {
    enter(undefined);
    mount(undefined);
  }
  return { seed, error, steps: simulation.steps, fingerprint: simulation.random.fraction() };
}

async function live(simulation: Simulation, planted: Planted): Promise<void> {
  const storeKind = simulation.chance(0.6) ? "etcd" : "embedded";
  const world = new World(simulation, planted, storeKind);
  if (simulation.chance(storesAlone)) return liveOfStores(world);
  const programs: Supervised[] = [world.superviseServer("server-1")];
  if (storeKind === "etcd" && simulation.chance(0.7)) {
    programs.push(world.superviseServer("server-2"));
  }
  simulation.start(simulation.world, () => prepare(world));
  await simulation.run(500);
  const acknowledged = new Acknowledged();
  const finals: (() => void)[] = [() => checkAcknowledged(world.truth, acknowledged)];
  for (const name of ["user-1", "user-2"]) {
    programs.push(world.supervise(name, user(world, acknowledged)));
  }
  const users = [...programs].slice(-2);
  const part = simulation.pick(parts);
  if (part === "endpoints") finals.push(addEndpoints(world, programs));
  else if (part === "announcers") finals.push(addAnnouncers(world, programs));
  else finals.push(addInformer(world, programs));
  await simulation.run(2_000);
  makeTrouble(world, programs);
  await simulation.run(simulation.draw(5_000, 25_000));
  calm(world);
  await simulation.run(simulation.now + lastWritesMs);
  for (const each of users) each.stop();
  await simulation.run(simulation.now + quietMs[part] - lastWritesMs);
  for (const check of finals) check();
}

/** A run of stores and IPAM alone, which takes a tenth of the time of one with API servers. */
async function liveOfStores(world: World): Promise<void> {
  const { simulation } = world;
  const acknowledged = new Acknowledged();
  const followed: Followed = new Map();
  const names = world.storeKind === "etcd" ? ["user-1", "user-2"] : ["user-1"];
  const programs = names.map((name) =>
    world.supervise(name, storeUser(world, acknowledged, followed)),
  );
  for (const name of ["ipam-1", "ipam-2"]) {
    programs.push(world.supervise(name, ipamCaller(world, name)));
  }
  makeTrouble(world, programs);
  await simulation.run(simulation.draw(3_000, 15_000));
  calm(world);
  await simulation.run(simulation.now + 15_000);
  checkAcknowledged(world.truth, acknowledged);
  for (const state of followed.values()) checkFollowed(world.truth, state);
}

/** Creates what every cluster begins with. */
async function prepare(world: World): Promise<void> {
  const client = world.clientOf(world.simulation.world);
  const namespaces = client.resource("v1", "Namespace");
  while (world.servers.length === 0) await world.simulation.world.clock.sleep(10);
  for (const name of ["default", "kube-system", "kube-node-lease"]) {
    await unlessLost(namespaces.create({ metadata: { name }, spec: {} }));
  }
}

function addEndpoints(world: World, programs: Supervised[]): () => void {
  const leaders = new Leaders();
  world.simulation.check = () => leaders.check();
  for (const name of ["controllers-1", "controllers-2"]) {
    programs.push(world.supervise(name, controllers(world, leaders)));
  }
  for (const name of ["node-1", "node-2"]) programs.push(world.supervise(name, node(world, name)));
  world.supervise("operator", operator(world));
  return () => checkEndpoints(world.truth);
}

function addAnnouncers(world: World, programs: Supervised[]): () => void {
  const count = 3;
  const announcers = new Announcers(world, count);
  world.simulation.start(world.simulation.world, () => announcers.prepare(world.simulation.world));
  const own: Supervised[] = [];
  for (let number = 1; number <= count; number++) {
    own.push(world.supervise(`announcer-${number}`, announcers.program(number)));
  }
  programs.push(...own);
  // One of them may be gone for good: what it held has to go by itself.
  if (world.simulation.chance(0.5)) {
    world.simulation.after(
      deathMs,
      () => world.simulation.pick(own).stop(),
      world.simulation.world,
    );
  }
  return () => announcers.check();
}

function addInformer(world: World, programs: Supervised[]): () => void {
  let check = (): void => undefined;
  const observe = async (process: Process): Promise<void> => {
    const informers = new Informers(process.settings);
    const maps = informers.of(world.clientOf(process).resource("v1", "ConfigMap"));
    check = () => checkInformer(world.truth, maps);
    await informers.run(new AbortController().signal);
  };
  programs.push(world.supervise("observer", observe));
  return () => check();
}
