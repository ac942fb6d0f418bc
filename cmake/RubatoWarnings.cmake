# Warnings of our own code; third-party headers come in as SYSTEM.
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(RUBATO_WERROR)
  add_compile_options(-Werror)
endif()
