// What this build calls itself.
#ifndef RUBATO_SUPPORT_VERSION_H
#define RUBATO_SUPPORT_VERSION_H

#include <string>

namespace rubato {

/// "rubato 0.1.0"
std::string versionString();

} // namespace rubato

#endif // RUBATO_SUPPORT_VERSION_H
