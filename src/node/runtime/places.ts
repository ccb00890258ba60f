// The layout of the directory of a node's containers.
import { join } from "node:path";

export interface Places {
  /** The directory with one folder for each container, which is made first and removed last. */
  readonly containers: string;
  /** The directory in which conmon writes a file with the exit code for each container that has exited. */
  readonly exits: string;
  /** The state directory of the OCI runtime. */
  readonly runtime: string;
  container(id: string): ContainerPlaces;
}

export interface ContainerPlaces {
  readonly directory: string;
  /** The file with the part of the specification that is needed later. */
  readonly record: string;
  /** The file that exists from the container's start until its removal. */
  readonly started: string;
  readonly config: string;
  readonly root: string;
  readonly pid: string;
  readonly monitorPid: string;
  /** The file with the error output of conmon, of the helper and of the runtime. */
  readonly complaints: string;
  /** The FIFO by which conmon is told to reopen the log, or to resize the terminal. */
  readonly control: string;
  /** The file that conmon creates when the kernel's OOM killer has killed a process. */
  readonly outOfMemory: string;
  readonly sessions: string;
  readonly exit: string;
  /** The folder where volumes and files are mounted first, visible to conmon and the runtime only. */
  readonly mounts: string;
  /** Returns the directories for an overlay's changes. */
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
