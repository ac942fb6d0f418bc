// What a run log says of the run itself: executable, options, data.
#pragma once

#include "launch/job.h"

namespace rubato {

/// The header of the log of a run that ended with the exit code `code`.
Status recordHeader(const Job &job, int code, std::string &header);

/// After the last member: joins what they recorded into one log. Takes and
/// returns the exit code; prints its error.
int endRecord(const Job &job, int code);

} // namespace rubato
