// The verbs of the rubato tool; argv[0] is the program, argv[1] the verb.
#ifndef RUBATO_TOOLS_RUBATO_COMMANDS_H
#define RUBATO_TOOLS_RUBATO_COMMANDS_H

int runCompileCommand(int argc, char **argv);
int runCheckCommand(int argc, char **argv);
int runExplainCommand(int argc, char **argv);
int runReproduceCommand(int argc, char **argv);

/// Exit codes of a wrong command line and of a feature we do not have.
inline constexpr int kUsage = 2, kUnsupported = 3;

#endif // RUBATO_TOOLS_RUBATO_COMMANDS_H
