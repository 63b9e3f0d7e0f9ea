/** The documents of the scorecard, `scorecard.operatorframework.io/v1alpha3`. */

/** Which tests run, stage after stage. */
export interface ScorecardConfig {
  readonly stages: readonly Stage[];
  readonly serviceAccount: string | undefined;
  /** Where tests find room to leave files, unless they say otherwise. */
  readonly storagePath: string | undefined;
}

/** Tests that run together, or one after the other. */
export interface Stage {
  readonly parallel: boolean;
  readonly tests: readonly TestConfig[];
}

/** A test: an image, what to start in it, and the labels that it is chosen by. */
export interface TestConfig {
  readonly image: string;
  readonly uniqueID?: string;
  readonly entrypoint: readonly string[];
  readonly labels: { readonly [key: string]: string };
  readonly storagePath?: string;
}

/** How a test ended. */
export type State = "pass" | "fail" | "error";

/** The result of a test. */
export interface TestResult {
  readonly name?: string;
  readonly log?: string;
  readonly state: State | (string & {});
  readonly errors?: readonly string[];
  readonly suggestions?: readonly string[];
  readonly creationTimestamp?: string | null;
}

/** All results of a test. */
export interface TestStatus {
  readonly results: readonly TestResult[];
}

/** A test that ran, or, without results, one that would. */
export interface ScoredTest {
  readonly config: TestConfig;
  readonly status: TestStatus;
}
