// The network between processes: messages take drawn times, and some or all of them are lost.

import type { Process } from "./process.ts";
import type { Simulation } from "./simulation.ts";

/** The way in which a call got no answer. */
export type Loss =
  /** The request did not arrive: it was certainly not carried out. */
  | "unreachable"
  /** The connection ended before the answer did: the request may have been carried out. */
  | "cut";

export class Lost extends Error {
  override readonly name = "Lost";
  readonly loss: Loss;

  constructor(loss: Loss) {
    super(`the network lost it: ${loss}`);
    this.loss = loss;
  }
}

/** A connection, over which one side sends messages in order until it is cut. */
export interface Wire<T> {
  send(message: T): void;
  /** Ends the connection; the receiver learns of it. */
  end(loss?: Loss): void;
}

export interface Receiver<T> {
  take(message: T): void;
  /** Called once: without a loss when the sender has ended the connection in order. */
  over(loss: Loss | undefined): void;
}

interface Connection {
  readonly from: Process;
  readonly to: Process;
  cut(): void;
}

/** The time after which a process notices that its peer is silent for ever. */
const keepaliveMs = 8_000;

export class Network {
  readonly #simulation: Simulation;
  /** The pairs that cannot reach each other. */
  readonly #partitions = new Set<string>();
  readonly #connections = new Set<Connection>();
  /** The longest usual delay of a message. */
  slownessMs = 5;
  /** The probability that a call or a message of a connection is lost. */
  lossRate = 0;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  /** Cuts all processes of a host off from one another, or lets them through again. */
  partition(one: string, other: string, isCut: boolean): void {
    const pair = pairOf(one, other);
    if (isCut) this.#partitions.add(pair);
    else this.#partitions.delete(pair);
    if (!isCut) return;
    for (const connection of this.#connections) {
      if (pairOf(connection.from.name, connection.to.name) === pair) connection.cut();
    }
  }

  heal(): void {
    this.#partitions.clear();
    this.lossRate = 0;
    this.slownessMs = 5;
  }

  isCut(one: Process, other: Process): boolean {
    return this.#partitions.has(pairOf(one.name, other.name));
  }

  /** Ends the connections of a process that was killed; their other ends learn of it. */
  drop(process: Process): void {
    for (const connection of this.#connections) {
      if (connection.from === process || connection.to === process) connection.cut();
    }
  }

  /** Lets a process ask another one; rejects with Lost, or with the error of `serve`. */
  call<T>(from: Process, to: Process, serve: () => Promise<T>): Promise<T> {
    const simulation = this.#simulation;
    return new Promise<T>((resolve, reject) => {
      const lose = (loss: Loss, ms: number) =>
        void simulation.after(ms, () => reject(new Lost(loss)), from);
      const answer = (tell: () => void): void => {
        if (this.isCut(from, to) || simulation.chance(this.lossRate)) {
          lose("cut", simulation.draw(1, 3_000));
        } else simulation.after(this.#delay(), tell, from);
      };
      if (this.isCut(from, to) || simulation.chance(this.lossRate)) {
        lose("unreachable", simulation.draw(1, 3_000));
        return;
      }
      simulation.after(
        this.#delay(),
        () => {
          if (!to.isAlive) return lose("unreachable", 1);
          let isAnswered = false;
          const connection = { from, to, cut: () => isAnswered || lose("cut", 1) };
          this.#connections.add(connection);
          simulation.after(
            0,
            () => {
              const finish = (tell: () => void): void => {
                isAnswered = true;
                this.#connections.delete(connection);
                if (to.isAlive) answer(tell);
              };
              serve().then(
                (value) => finish(() => resolve(value)),
                (error: unknown) => finish(() => reject(error)),
              );
            },
            to,
          );
        },
        simulation.world,
      );
    });
  }

  /** Opens a connection on which `from` sends to `to`; messages keep their order. */
  connect<T>(from: Process, to: Process, receiver: Receiver<T>): Wire<T> {
    const simulation = this.#simulation;
    let earliest = 0;
    let isOver = false;
    const arrive = (act: () => void, ms: number): void => {
      earliest = Math.max(earliest, simulation.now + ms);
      const at = earliest;
      // Messages of one connection must not overtake each other at the same moment.
      earliest += 0.001;
      simulation.after(at - simulation.now, act, to);
    };
    const finish = (loss: Loss | undefined, ms: number): void => {
      if (isOver) return;
      isOver = true;
      this.#connections.delete(connection);
      arrive(() => receiver.over(loss), ms);
    };
    const connection: Connection = {
      from,
      to,
      cut: () => finish("cut", simulation.chance(0.3) ? keepaliveMs : simulation.draw(1, 500)),
    };
    this.#connections.add(connection);
    return {
      send: (message) => {
        if (isOver) return;
        if (this.isCut(from, to) || simulation.chance(this.lossRate)) connection.cut();
        else arrive(() => receiver.take(message), this.#delay());
      },
      end: (loss) => finish(loss, this.#delay()),
    };
  }

  #delay(): number {
    return this.#simulation.random.fraction() * this.slownessMs;
  }
}

function pairOf(one: string, other: string): string {
  return one < other ? `${one} ${other}` : `${other} ${one}`;
}
