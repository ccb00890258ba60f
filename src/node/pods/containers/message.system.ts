// The files of a container on the node: the folder of its log, and its termination message.

import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

export interface ContainerFiles {
  readonly logPath: string;
  readonly message: string;
}

export async function makeContainerFiles({ logPath, message }: ContainerFiles): Promise<void> {
  await mkdir(dirname(logPath), { recursive: true });
  await mkdir(dirname(message), { recursive: true });
  await writeFile(message, "");
  // Any user may write the message, whoever the container runs as; the directory above lets nobody else in.
  await chmod(message, 0o666);
}
