// Seals this process: while a simulation runs, built-in time, timers, random numbers, fetch and the files below
// one directory are the simulation's. Production code that takes them from the system instead of a port is thus
// simulated as well.

import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";
import { sealFiles } from "./disk-functions.ts";
import type { Simulation } from "./simulation.ts";
import { nextTurn } from "./turn.ts";

let running: Simulation | undefined;
let isSealed = false;

/** Says which simulation runs now; undefined gives the built-in functions back. */
export function enter(simulation: Simulation | undefined): void {
  running = simulation;
}

/**
 * Replaces the built-in functions once. It has to come before the code under test is loaded, since some of that
 * keeps references to them.
 */
export function seal(): void {
  if (isSealed) return;
  isSealed = true;
  sealTimers();
  sealTime();
  sealRandom();
  sealFetch();
  sealFiles();
  syncBuiltinESMExports();
}

/** A timer as Node returns it, as far as the code under test uses it. */
class SealedTimer {
  cancel: () => void = () => undefined;

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }
}

function sealTimers(): void {
  const real = { setTimeout, setInterval, setImmediate: nextTurn, clearTimeout, clearInterval };
  const later = (act: () => void, ms: number): SealedTimer => {
    const timer = new SealedTimer();
    const waiting = running?.after(ms, act);
    timer.cancel = () => waiting?.cancel();
    return timer;
  };
  const repeated = (act: () => void, ms: number): SealedTimer => {
    const timer = new SealedTimer();
    const again = (): void => {
      const waiting = running?.after(ms, () => {
        again();
        act();
      });
      timer.cancel = () => waiting?.cancel();
    };
    again();
    return timer;
  };
  const clear = (clearReal: (timer: never) => void) => (timer: unknown) => {
    if (timer instanceof SealedTimer) timer.cancel();
    else clearReal(timer as never);
  };
  type Act = (...given: unknown[]) => void;
  Object.assign(globalThis, {
    setTimeout: Object.assign(
      (act: Act, ms = 0, ...given: unknown[]) =>
        running === undefined ? real.setTimeout(act, ms, ...given) : later(() => act(...given), ms),
      real.setTimeout,
    ),
    setInterval: (act: Act, ms = 0, ...given: unknown[]) =>
      running === undefined
        ? real.setInterval(act, ms, ...given)
        : repeated(() => act(...given), ms),
    setImmediate: Object.assign(
      (act: Act, ...given: unknown[]) =>
        running === undefined ? real.setImmediate(act, ...given) : later(() => act(...given), 0),
      real.setImmediate,
    ),
    clearTimeout: clear(real.clearTimeout as (timer: never) => void),
    clearInterval: clear(real.clearInterval as (timer: never) => void),
  });
  const { setTimeout: realDelay, setImmediate: realTurn } = timers;
  Object.assign(timers, {
    setTimeout: (ms: number, value: unknown, options?: { signal?: AbortSignal }) =>
      running === undefined
        ? realDelay(ms, value, options)
        : running.current.clock.sleep(ms, options?.signal).then(() => value),
    setImmediate: (value: unknown, options?: { signal?: AbortSignal }) =>
      running === undefined
        ? realTurn(value, options)
        : running.current.clock.sleep(0, options?.signal).then(() => value),
  });
}

function sealTime(): void {
  const real = { now: Date.now, performance: performance.now.bind(performance) };
  const RealDate = Date;
  const now = (): number => running?.current.clock.now() ?? real.now();
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given) =>
      given.length === 0 && running !== undefined
        ? new target(now())
        : (Reflect.construct(target, given) as Date),
    get: (target, name) => (name === "now" ? now : (Reflect.get(target, name) as unknown)),
  });
  // Code under test measures how long it works; in virtual time work takes none.
  performance.now = () => running?.now ?? real.performance();
}

function sealRandom(): void {
  const real = {
    random: Math.random,
    uuid: crypto.randomUUID.bind(crypto),
    bytes: crypto.randomBytes.bind(crypto),
  };
  Math.random = () => running?.random.fraction() ?? real.random();
  Object.assign(crypto, {
    randomUUID: () => {
      if (running === undefined) return real.uuid();
      const hex = Buffer.from(running.random.bytes(16)).toString("hex");
      return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    },
    randomBytes: (size: number) =>
      running === undefined ? real.bytes(size) : Buffer.from(running.random.bytes(size)),
  });
}

function sealFetch(): void {
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    running === undefined ? real(input, init) : running.fetch(input as string);
}
