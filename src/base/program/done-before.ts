// Waiting for work that may not be over when the program stops.

/** Waits for the work or for the signal; resolves to whether the work came first. */
export async function isDoneBefore(signal: AbortSignal, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<false>();
  const stop = (): void => resolve(false);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, work.then(() => true)]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
