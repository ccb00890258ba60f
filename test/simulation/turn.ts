/** Calls back in the next turn of the real event loop, also while the process is sealed. */
export const nextTurn = setImmediate;
