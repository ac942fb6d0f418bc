// What this build calls itself.
#include "rubato/Support/Version.h"

std::string rubato::versionString() { return "rubato " RUBATO_VERSION; }
