import type { Assignment } from './script.js';

/** Variables that may be set for a command without changing which programs it runs. */
const SAFE =
  /^(NODE_ENV|CI|DEBUG|VERBOSE|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|GOOS|GOARCH|CGO_ENABLED|PORT|HOST)$/;
/** Variables that decide which programs run, what they load first, or where they send what they know. */
const DANGEROUS =
  /^(PATH|CDPATH|IFS|ENV|SHELL|HOME|PAGER|VISUAL|BROWSER|PS[0-9]|PROMPT_COMMAND|SHELLOPTS|TROUPE_.*|BASH.*|LD_.*|DYLD_.*|GIT_.*|GCONV_PATH|NODE_.*|NPM_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|_JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*|.*EDITOR|.*PROXY|LESSOPEN|LESSCLOSE|MANPAGER|ANTHROPIC_.*)$/i;

/**
 * Whether an assignment leaves what may run as it is: in front of a command only variables that are known to, on its own
 * also those that a script has for itself, in small letters.
 */
export function isSafeAssignment({ name, isStatement }: Assignment, hasCommand: boolean): boolean {
  if (SAFE.test(name)) return true;
  if (!isStatement) return false;
  // `export X=y` is a command that a rule has to allow.
  return hasCommand ? !DANGEROUS.test(name) : /^[a-z_][a-z0-9_]*$/.test(name) && !DANGEROUS.test(name);
}
