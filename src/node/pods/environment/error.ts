/** The pod asks for something that is not there, or not allowed: a container cannot be made. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly reason = "CreateContainerConfigError";

  constructor(action: string, state: string) {
    super(`Cannot ${action}: ${state}`);
  }
}

export function isConfigurationError(error: unknown): error is ConfigurationError {
  return error instanceof ConfigurationError;
}
