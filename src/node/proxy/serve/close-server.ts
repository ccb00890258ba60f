import type { Server } from "node:http";

/** Answers under way are cut off: who asks about health will ask again. */
export async function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
