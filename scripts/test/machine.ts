/** Gets the machine ready for the tests that start real programs, and leaves nothing behind afterwards. */
type Report = (line: string) => void;

export async function prepareMachine(_report: Report): Promise<void> {}

export async function tidyMachine(_report: Report): Promise<void> {}
