// Where things are in the directory of a node's containers.
import { join } from "node:path";

export interface Places {
  /** One directory for each container: made first, removed last. */
  readonly containers: string;
  /** conmon writes a file here for each container that has exited, with the code in it. */
  readonly exits: string;
  /** Of the runtime. */
  readonly runtime: string;
  container(id: string): ContainerPlaces;
}

export interface ContainerPlaces {
  readonly directory: string;
  /** What was asked for. */
  readonly record: string;
  /** There since it has been started and until it is removed. */
  readonly started: string;
  readonly config: string;
  readonly root: string;
  readonly pid: string;
  readonly monitorPid: string;
  /** What went wrong, in words of conmon, mount and the runtime. */
  readonly complaints: string;
  /** conmon is told here to open the log anew, or how large the terminal is. */
  readonly control: string;
  /** conmon makes it when the kernel killed something for its memory. */
  readonly outOfMemory: string;
  readonly sessions: string;
  readonly exit: string;
  /** Where what the container is given is mounted, as conmon and the runtime see it. */
  readonly mounts: string;
  /** Where the changes to a layer of the root are kept. */
  layer(name: string): { readonly upper: string; readonly work: string };
}

export function placesIn(directory: string): Places {
  const containers = join(directory, "containers");
  const exits = join(directory, "exits");
  return {
    containers,
    exits,
    runtime: join(directory, "runtime"),
    container(id) {
      const place = (name: string): string => join(containers, id, name);
      return {
        directory: join(containers, id),
        record: place("record.json"),
        started: place("started.json"),
        config: place("config.json"),
        root: place("rootfs"),
        pid: place("pid"),
        monitorPid: place("conmon.pid"),
        complaints: place("complaints"),
        control: place("ctl"),
        outOfMemory: place("oom"),
        sessions: place("sessions"),
        exit: join(exits, id),
        mounts: place("mounts"),
        layer: (name) => ({
          upper: place(`layers/${name}/upper`),
          work: place(`layers/${name}/work`),
        }),
      };
    },
  };
}
