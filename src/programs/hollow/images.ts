// Images that are always there: pulling one takes a drawn time, in which a pod becomes ready.

import type { Clock } from "../../base/host/clock.ts";
import type { CallOptions } from "../../base/host/command.ts";
import type { Random } from "../../base/host/random.ts";
import type { ImageRecord, ImageRoots, Images } from "../../node/runtime/runtime.ts";
import { drawn, type Span } from "./random.ts";

interface Options {
  readonly clock: Clock;
  readonly random: Random;
  readonly readyAfter: Span;
}

const config = {
  entrypoint: ["/hollow"],
  command: [],
  environment: {},
  user: "",
  workingDirectory: "/",
};

export function hollowImages({ clock, random, readyAfter }: Options): Images & ImageRoots {
  return {
    async ensure(name, _policy, { signal }: CallOptions = {}): Promise<ImageRecord> {
      await clock.sleep(drawn(readyAfter, random), signal);
      return { name, id: `hollow:${name}`, bytes: 0, isBuiltIn: false };
    },
    list: () => Promise.resolve([]),
    rootOf: () => Promise.resolve({ directory: "/", config, mounts: [], hidden: [] }),
  };
}
