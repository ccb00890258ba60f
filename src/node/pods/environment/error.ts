/** A container cannot be created, since the pod asks for something that does not exist or is not allowed. */
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
