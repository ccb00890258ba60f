// Ages as kubectl prints them: two units at most, coarser the older the object is.

export function ageOf(timestamp: string | undefined, now: Date): string {
  const started = Date.parse(timestamp ?? "");
  if (Number.isNaN(started)) return "<unknown>";
  return shortDuration(now.getTime() - started);
}

export function shortDuration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return joined(minutes, "m", seconds % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return joined(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  if (hours < 192) return joined(Math.floor(hours / 24), "d", hours % 24, "h");
  const days = Math.floor(hours / 24);
  if (days < 730) return `${days}d`;
  if (days < 2920) return joined(Math.floor(days / 365), "y", days % 365, "d");
  return `${Math.floor(days / 365)}y`;
}

function joined(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
