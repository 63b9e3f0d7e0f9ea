/** A test as a value: a title, and a function that rejects if the test fails. Any test runner can run it. */

/**
 * One test of a suite.
 *
 * @example
 * const titles = (suite: readonly TestCase[]) => suite.map(({ title }) => title);
 */
export interface TestCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}
